/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies a changed stream: to the reconciler, the status and the clients. */
#pragma once

#include "common/base/buf.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "master/api/command.h"
#include "master/config/check.h"

/* Judges a stream of a request; self is its present id; NULL: new.  0, or
 * -EINVAL with the first error.  Warnings, such as unknown options, are
 * appended to warnings (may be NULL), for apply_warn(). */
int apply_judge(struct api *, const json_t *stream, const char *self,
		struct errmsg *error, struct buf *warnings) MUST_CHECK;

/* Appends a warning: a check_found_fn; arg is the struct buf. */
void apply_add_warning(enum check_severity, const char *path, const char *text,
		       void *warnings);

/* Logs the warnings of a stored stream (id NULL: it is not stored, and nothing
 * is logged), adds them to the reply and frees them.  Without a reply (NULL) it
 * only logs them. */
void apply_warn(struct api *, const char *id, struct buf *warnings,
		struct reply *);

/* Warns that enabled streams and adapters read this stream, which the change
 * has removed or disabled; stream: as it is stored, NULL: removed; reply as for
 * apply_warn(). */
void apply_warn_readers(struct api *, const char *id, const json_t *stream,
			struct reply *);
/* The same without a line of the log, for a change that is not made. */
void apply_foresee_readers(struct api *, const char *id, const json_t *stream,
			   struct reply *);

/* Starts, replaces or stops the worker.  The stream has no error. */
void apply_stream(struct api *, const char *id, const json_t *stream);
/* Logs why an enabled stream has nothing to run, where no command warns of
 * it. */
void apply_warn_idle(const char *id, const json_t *stream);
/* As apply_stream(), for a change that does not affect the worker: an error
 * that prevents the stream from running remains. */
void apply_kept(struct api *, const char *id, const json_t *stream);
/* The stream has the id `to` now: nothing that runs changes.  Call
 * apply_stream() afterwards, for the streams that read it, too. */
void apply_rename(struct api *, const char *from, const char *to);
void apply_removal(struct api *, const char *id);

/* Applies what the change of a stream changes for the others: starts those that
 * conflicted with another one and no longer do, and replaces workers that may
 * open other files (recordings.h); call it after every change. */
void apply_waiting(struct api *);

/* Judges and starts all streams of the configuration; waiting_only: only the
 * streams that do not run because of a conflict with another stream. */
void apply_all(struct api *, bool waiting_only);

/* A set-stream message with the stored object, or with edit_removal().  With
 * with_gid it has the gid of the configuration, if there is one. */
void apply_announce(struct api *, const json_t *stream, bool with_gid);
