/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies a changed stream: to the reconciler, the status and the clients. */
#pragma once

#include "common/base/buf.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "master/api/command.h"
#include "master/config/check.h"

/* Judges a stream of a request.  self: its present id; NULL: it is new.
 * Returns 0, or -EINVAL with the first error.  Warnings, such as unknown
 * options, are appended to warnings (may be NULL), for apply_warn(). */
int apply_judge(struct api *, const json_t *stream, const char *self,
		struct errmsg *error, struct buf *warnings) MUST_CHECK;

/* A check_found_fn that appends a warning to a struct buf. */
void apply_add_warning(enum check_severity, const char *path, const char *text,
		       void *warnings);

/* Logs the warnings about a stream, adds them to the reply and frees them.  id
 * NULL: the stream is not stored, so nothing is logged.  reply NULL: they are
 * only logged. */
void apply_warn(struct api *, const char *id, struct buf *warnings,
		struct reply *);

/* Warns that enabled streams and adapters read this stream, which was removed
 * (stream NULL) or disabled (stream: the stored one).  reply as for
 * apply_warn(). */
void apply_warn_readers(struct api *, const char *id, const json_t *stream,
			struct reply *);
/* As apply_warn_readers(), without a line in the log: the change is not
 * made. */
void apply_foresee_readers(struct api *, const char *id, const json_t *stream,
			   struct reply *);

/* Starts, replaces or stops the worker of a stream that has no error. */
void apply_stream(struct api *, const char *id, const json_t *stream);
/* Logs why an enabled stream has nothing to send, for changes outside of
 * commands (a command has this as a warning). */
void apply_warn_idle(const char *id, const json_t *stream);
/* As apply_stream(), for a change that does not affect the worker: an error
 * that keeps the stream from running stays. */
void apply_kept(struct api *, const char *id, const json_t *stream);
/* The stream was renamed to `to': everything that runs continues.  Call
 * apply_stream() afterwards, also for the streams that read it. */
void apply_rename(struct api *, const char *from, const char *to);
void apply_removal(struct api *, const char *id);

/* Applies the effects of a change on other streams: starts streams that no
 * longer conflict with another one, and replaces workers that may open other
 * files (recordings.h).  Call it after every change. */
void apply_waiting(struct api *);

/* Judges and starts all streams of the configuration; waiting_only: only those
 * that did not run because of a fault, such as a conflict with another stream,
 * and have none now. */
void apply_all(struct api *, bool waiting_only);

/* Sends the event set-stream with the stored stream, or with edit_removal().
 * with_gid: adds the gid of the configuration, if there is one. */
void apply_announce(struct api *, const json_t *stream, bool with_gid);
