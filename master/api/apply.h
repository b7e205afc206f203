/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies a changed stream: judges it, passes it to the reconciler and the
 * status, and announces it to event clients. */
#pragma once

#include "common/base/buf.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "master/api/command.h"
#include "master/config/check.h"

/* Judges a stream of a request.  self: its present id; NULL: the stream is new.
 * Returns 0, or -EINVAL with the first error.  Warnings, such as unknown
 * options, are appended to warnings (may be NULL), for apply_warn(). */
int apply_judge(struct api *, const json_t *stream, const char *self,
		struct errmsg *error, struct buf *warnings) MUST_CHECK;

/* A check_found_fn that appends a warning to a struct buf. */
void apply_add_warning(enum check_severity, const char *path, const char *text,
		       void *warnings);

/* Logs the warnings about a stream, adds them to the reply and frees them.  id
 * NULL: the stream is not stored, so nothing is logged.  reply NULL: the
 * warnings are only logged. */
void apply_warn(struct api *, const char *id, struct buf *warnings,
		struct reply *);

/* Warns that enabled streams and adapters read this stream, which was removed
 * (stream NULL) or may be disabled (stream: its stored object; if enabled, does
 * nothing).  reply: as for apply_warn(). */
void apply_warn_readers(struct api *, const char *id, const json_t *stream,
			struct reply *);
/* As apply_warn_readers(), without a line in the log: the change is not
 * made. */
void apply_foresee_readers(struct api *, const char *id, const json_t *stream,
			   struct reply *);

/* Starts, replaces or stops the worker of a stream that has no error. */
void apply_stream(struct api *, const char *id, const json_t *stream);
/* Logs why an enabled stream has nothing to send.  For the start and a reload;
 * a command has this as a warning in its reply. */
void apply_warn_idle(const char *id, const json_t *stream);
/* As apply_stream(), for a change that was not judged: a stream that does not
 * run because of an error keeps this error and does not start. */
void apply_kept(struct api *, const char *id, const json_t *stream);
/* The stream `from' was renamed to `to': its worker, viewers and counters stay.
 * Call apply_stream() afterwards, also for the streams that read it. */
void apply_rename(struct api *, const char *from, const char *to);
void apply_removal(struct api *, const char *id);

/* Applies the effects of a change on other streams: starts streams that no
 * longer conflict with another stream, and replaces workers whose permitted
 * files have changed (recordings.h).  Call it after every change. */
void apply_waiting(struct api *);

/* Judges and starts all streams of the configuration.  waiting_only: only
 * streams that did not run because of a fault, such as a conflict with another
 * stream, and that have no fault now. */
void apply_all(struct api *, bool waiting_only);

/* Sends the event set-stream with the stored stream, or with edit_removal().
 * with_gid: adds the gid of the configuration, if there is one. */
void apply_announce(struct api *, const json_t *stream, bool with_gid);
