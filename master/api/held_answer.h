/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An answer that waits until a file is written, at most two seconds: a right
 * that a command took away must not be valid again after a crash.
 *
 * Frees itself.  Borrows the call until the answer is sent or the client has
 * left.
 */
#pragma once

struct call;
struct config;
struct errmsg;
struct held_answer;

/* Postpones the answer of a call; its reply may be filled later. */
struct held_answer *held_answer_new(struct call *);
/* Cancels the wait, because no file is to be written: the caller answers.  Sets
 * *h to NULL. */
void held_answer_free(struct held_answer **h);

/* The answer waits for the save of the configuration.  For a control user the
 * save starts at once; other users wait for the usual save, within a second, so
 * that they cannot load the master with saves. */
void held_answer_begin(struct held_answer *, struct config *);

/* The file is written, or cannot be (save_done_fn): answers and frees held. */
void held_answer_saved(int result, const struct errmsg *error, void *held);
