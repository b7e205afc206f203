/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies a changed stream: to the reconciler, the status and the clients. */
#pragma once

#include "common/base/buf.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "master/api/command.h"

/* Judges a stream that a client wants; self is the id it has now, or NULL.
 * 0, or -EINVAL with the first fault.  What is only odd, unknown options and
 * the like, is appended to odd (may be NULL), for apply_warn(). */
int apply_judge(struct api *, const json_t *stream, const char *self,
		struct errmsg *why, struct buf *odd) MUST_CHECK;

/* Logs what was odd in the stream, once it is stored, and adds it to an answer;
 * frees it. */
void apply_warn(struct api *, const char *id, struct buf *odd, struct reply *);

/* Starts, replaces or stops the stream so that it is as the object says.  The
 * object has no fault. */
void apply_stream(struct api *, const char *id, const json_t *stream);
/* The same for one that was only changed in what nobody runs: what kept it from
 * running still does. */
void apply_kept(struct api *, const char *id, const json_t *stream);
void apply_removal(struct api *, const char *id);

/* Starts the streams that a neighbour kept from running and that can run now;
 * call after every change. */
void apply_waiting(struct api *);

/* Judges and starts everything in the configuration. */
void apply_all(struct api *);

/* set-stream messages: the stored object, with gid when with_gid is true and
 * the configuration holds one; a removal. */
void apply_announce(struct api *, const json_t *stream, bool with_gid);
void apply_announce_removal(struct api *, const char *id, bool up);
