/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An answer that waits until a file is written, at most two seconds: a right
 * that a command took away must not return after a crash.
 *
 * Frees itself; borrows the call until it is answered or the client has left.
 */
#pragma once

struct call;
struct config;
struct errmsg;
struct held_answer;

/* Postpones the answer of a call; its reply may be filled later. */
struct held_answer *held_answer_new(struct call *);
/* Cancels the postponement, because no file is written; sets *h to NULL. */
void held_answer_free(struct held_answer **h);

/* The answer waits for the save of the configuration.  For a control user the
 * save starts at once; for other users it keeps its usual delay of a second,
 * because it costs time in the loop. */
void held_answer_begin(struct held_answer *, struct config *);

/* The file is written, or cannot be (save_done_fn): answers and frees held. */
void held_answer_saved(int result, const struct errmsg *error, void *held);
