/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a file some time after it was touched, off the loop.
 *
 * A burst of touches is written once, delay_ms after the first that is not yet
 * written.  One write is in flight at a time, in a thread of its own.  A write
 * that fails is logged and repeated after retry_min_ms, doubling to
 * retry_max_ms.  With settle it is the last touch that counts: written once
 * nothing was touched for delay_ms, and not at the end.
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
	bool settle;
	bool revisions; /* keep former versions: see revisions.h */
	/* The content as it is now, from malloc(); called in the loop's
	 * thread. */
	char *(*text)(size_t *ret_len, void *arg);
	/* Who made the changes since the last call, from malloc(), or NULL; may
	 * be NULL.  See revisions_sign(). */
	char *(*author)(void *arg);
	void *arg;
};

struct save *save_new(const struct save_config *);

/* Waits for the write in flight and, without settle, for the last touch to be
 * written, a few seconds at most for each.  NULL-safe; sets *s to NULL. */
void save_free(struct save **s);

void save_touch(struct save *);

/* As save_touch(), but the write starts within ms (at most delay_ms). */
void save_touch_in(struct save *, unsigned ms);

/* Milliseconds until the next write starts; 0: no write is planned. */
unsigned save_left_ms(const struct save *);

/* Why the last write failed, which is repeated; NULL: it did not fail. */
const char *save_error(const struct save *);

/* True when no change waits for its write and no write is in flight. */
bool save_is_idle(const struct save *);

/* True when a write is in flight or ordered, and nothing was touched since. */
bool save_is_writing(const struct save *);

/* Called once, from the loop: 0 when it is on disk, -errno with error when it
 * is not; or -ECANCELED by save_free().  The save may be freed inside. */
typedef void save_done_fn(int result, const struct errmsg *error, void *arg);

/* Writes the content at once, after a write in flight.  A failed write is
 * repeated like any other. */
void save_now(struct save *, save_done_fn *done, void *arg);

/* Writes at once what was touched and waits for its write, also for the next
 * attempt, after a write in flight.  If nothing waits, done gets 0.  Within
 * delay_ms of the content before it this keeps no former version. */
void save_catch_up(struct save *, save_done_fn *done, void *arg);

/* Waits for a write in flight and what was ordered before, and writes nothing;
 * done gets 0 even if such a write fails. */
void save_wait(struct save *, save_done_fn *done, void *arg);

/* Writes text (from malloc(), taken) at once, instead of the content that was
 * touched before or whose write, which is in flight, fails.  The write of text
 * is not repeated; if it fails, that content is written. */
void save_text(struct save *, char *text, size_t len, save_done_fn *done,
	       void *arg);
