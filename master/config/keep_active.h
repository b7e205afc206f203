/* SPDX-License-Identifier: GPL-3.0-or-later */
/* http_keep_active: whether a stream runs only while it has viewers.  Pure. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

struct play_conf;
struct stream_conf;

enum {
	KEEP_ALWAYS = -1,      /* the stream runs without viewers, too */
	KEEP_MAX_S = 86400,
};

/* The seconds that the value names, or KEEP_ALWAYS; NULL: KEEP_ALWAYS, 0.  Or
 * -EINVAL with a sentence. */
int keep_active_read(const json_t *value, int *ret_s,
		     struct errmsg *error) MUST_CHECK;

/*
 * How long the stream runs after its last viewer.  KEEP_ALWAYS also for a
 * stream that sends to places other than viewers over HTTP, for one with HLS
 * but without hls_on_demand, and for one without a path for viewers.  settings
 * (may be NULL) has the defaults of all streams; play: the play paths, or NULL.
 */
int keep_active_of(const struct stream_conf *, const json_t *settings,
		   const struct play_conf *play);

/* True if the stream's own http_keep_active would stop it, and the stream is
 * always on all the same: *ret is the reason. */
bool keep_active_is_idle(const json_t *stream, const json_t *settings,
			 struct errmsg *ret);
