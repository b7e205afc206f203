/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests to a stream's worker to play another input, and what becomes of
 * them: each is answered once, by the worker or in its place.
 *
 * Owns its requests and their timers; borrows the loop.
 */
#pragma once

#include "proto/ipc/msg.h"

struct channel;
struct ev_loop;
struct input_choice;

enum {
	INPUT_CHOICE_MS = 3000, /* that long an answer may take */
	INPUT_CHOICE_MAX = 64,  /* at once */
};

/* The position that was chosen, or 0 with why.  From the loop; the choice may
 * not be freed inside. */
typedef void input_choice_fn(unsigned position, const char *why, void *arg);

struct input_choice *input_choice_new(struct ev_loop *);
/* NULL-safe; sets *c to NULL.  Whoever waits is told. */
void input_choice_free(struct input_choice **);

/* Asks the worker for this position, or for the next with 0.  0, or -errno
 * when it cannot be asked: done is not called then. */
int input_choice_ask(struct input_choice *, struct channel *,
		     unsigned position, input_choice_fn *done, void *arg)
	MUST_CHECK;

/* The worker's answer.  False: nobody asked that. */
bool input_choice_answer(struct input_choice *, uint32_t seq,
			 const struct msg_stream_chosen *);

/* The worker is gone: whoever waits is told. */
void input_choice_down(struct input_choice *);
