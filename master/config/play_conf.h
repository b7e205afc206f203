/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the settings of the play paths, /play/ID and /play/ID/index.m3u8, which
 * every stream has in addition to its own http outputs.
 *
 * Pure.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

struct errmsg;

struct play_conf {
	bool ts;       /* /play/ID: http_play_stream */
	bool hls;      /* /play/ID/index.m3u8: http_play_hls */
	bool fmp4;     /* the segments of hls are fMP4: hls_fmp4 */
	bool has_port; /* the play paths that are on have a port of their own */
	struct sockaddr_any port; /* http_play_port; valid if has_port */
};

/* settings may be NULL.  control: address of the control server; a port of
 * http_play_port that conflicts with it (play_conf_collides()) is ignored.
 * NULL: unknown. */
void play_conf_read(struct play_conf *ret, const json_t *settings,
		    const struct sockaddr_any *control);

/* Reads http_play_port, a number or text as control_port.  Returns 1: it is
 * set; 0: it is not; -EINVAL with error. */
int play_conf_port(const json_t *settings, struct sockaddr_any *ret,
		   struct errmsg *error) MUST_CHECK;

/* True: the two addresses conflict, so only one socket can listen. */
bool play_conf_collides(const struct sockaddr_any *,
			const struct sockaddr_any *);

enum { PLAY_PATH_MAX = 128 };

/* Writes "/play/a001", or with hls the path of its playlist. */
void play_path(const char *stream, bool hls, char ret[PLAY_PATH_MAX]);
