/* SPDX-License-Identifier: GPL-3.0-or-later */
/* http_keep_active: how long a stream runs without viewers.  Pure. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

struct play_conf;
struct stream_conf;

enum {
	/* the stream always runs, also without viewers */
	KEEP_ALWAYS = -1,
	KEEP_MAX_S = 86400,
};

/* Reads http_keep_active to *ret_s: seconds, or KEEP_ALWAYS (also for value
 * NULL or "").  Returns 0, or -EINVAL with a sentence. */
int keep_active_read(const json_t *value, int *ret_s,
		     struct errmsg *error) MUST_CHECK;

/*
 * Returns how many seconds the stream runs after its last viewer, or
 * KEEP_ALWAYS.  A stream always runs if it sends to other destinations than
 * viewers over HTTP, if it has HLS without hls_on_demand, or if it has no path
 * for viewers.  settings (may be NULL) has the defaults of all streams; play:
 * the play paths (play_conf.h); NULL: none.
 */
int keep_active_of(const struct stream_conf *, const json_t *settings,
		   const struct play_conf *play);

/* True: the stream has a http_keep_active that would stop it, but always runs
 * nevertheless; *ret is the reason. */
bool keep_active_is_idle(const json_t *stream, const json_t *settings,
			 struct errmsg *ret);
