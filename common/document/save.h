/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a file some time after it was touched, in a thread.
 *
 * A burst of touches is written once, delay_ms after the first that is not yet
 * written.  One write is in flight at a time, in a thread of its own.  A write
 * that fails is logged and repeated after retry_min_ms, doubling to
 * retry_max_ms.  With settle the file is written once it was not touched for
 * delay_ms, and save_free() does not write it.
 *
 * Owns a timer, an async watcher and the thread.  Borrows the loop.
 */
#pragma once

#include "common/base/errmsg.h"

#include <stdbool.h>
#include <stddef.h>

struct ev_loop;
struct save;

struct save_config {
	struct ev_loop *loop;
	const char *path; /* copied */
	unsigned delay_ms;
	unsigned retry_min_ms;
	unsigned retry_max_ms;
	bool settle; /* writes once nothing was touched for delay_ms */
	bool revisions; /* keep former versions: see revisions.h */
	/* The content as it is now, from malloc(); called in the loop's
	 * thread. */
	char *(*text)(size_t *ret_len, void *arg);
	/* Returns the logins of the users that made the changes since its last
	 * call (see revisions_sign()), from malloc(), or NULL.  The function
	 * itself may be NULL. */
	char *(*author)(void *arg);
	void *arg;
};

struct save *save_new(const struct save_config *);

/* Tells which content of the file is in effect: digest is that of the content
 * (document_digest()), "" if none is, as before the first call.  With
 * revisions, a write that replaces another content keeps it and logs that.  The
 * next write makes a revision of this content.  No effect during a write. */
void save_known(struct save *, const char *digest);

/* Waits for the write in flight and, without settle, for the last touch to be
 * written, a few seconds at most for each.  NULL-safe; sets *s to NULL. */
void save_free(struct save **s);

void save_touch(struct save *);

/* As save_touch(), but the write starts within ms (at most delay_ms). */
void save_touch_in(struct save *, unsigned ms);

/* Milliseconds until the write of touched content, or of content whose write
 * failed, is due; 0: no content waits for this time.  Writes that were ordered
 * (save_now() and others) do not count. */
unsigned save_left_ms(const struct save *);

/* The error of the last write, which will be repeated; NULL: it succeeded. */
const char *save_error(const struct save *);

/* True when no change waits for its write and no write is in flight. */
bool save_is_idle(const struct save *);

/* True when a write is in flight or ordered, and nothing was touched since. */
bool save_is_writing(const struct save *);

/* Called once, from the loop: 0 when the content is on disk; -errno with error
 * when the write failed; -ECANCELED by save_free().  The save may be freed
 * inside. */
typedef void save_done_fn(int result, const struct errmsg *error, void *arg);

/* Writes the content at once, after a write in flight.  A failed write is
 * repeated like any other. */
void save_now(struct save *, save_done_fn *done, void *arg);

/* Writes touched content at once, instead of after its delay or before its next
 * attempt, but after a write in flight.  If nothing was touched, done gets 0.
 * If the write is within delay_ms of the content before it, it keeps no former
 * version, unless the file was changed by another program meanwhile. */
void save_catch_up(struct save *, save_done_fn *done, void *arg);

/* Waits for the write of touched content, which starts within delay_ms as after
 * save_touch(), earlier for another caller, or with the retry of a failed
 * write.  If nothing waits to be written, done is called as by save_wait(). */
void save_join(struct save *, save_done_fn *done, void *arg);

/* Waits for a write in flight and for the writes ordered before this call, and
 * writes nothing; done gets 0 even if such a write fails. */
void save_wait(struct save *, save_done_fn *done, void *arg);

/* Writes text (from malloc(), taken) at once, after a write in flight.  The
 * text takes the place of content that was touched before, and of the content
 * of the write in flight if that fails.  The write of text is not repeated; if
 * it fails, the content in whose place it was is written.  in_effect: the text
 * is in effect once it is written; false: the content of save_known(), or of
 * the last write, stays so. */
void save_text(struct save *, char *text, size_t len, bool in_effect,
	       save_done_fn *done, void *arg);
