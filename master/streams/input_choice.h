/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests to the worker of a stream to switch to another input.  Each request
 * gets one answer, from the worker or in its place.
 *
 * Owns its requests and their timers; borrows the loop.
 */
#pragma once

#include "proto/ipc/msg.h"

struct channel;
struct ev_loop;
struct input_choice;

enum {
	INPUT_CHOICE_MAX = 64, /* parallel requests */
};

/* The position of the chosen input, and in error the warning that it is not on
 * air ("": none); or 0 with error.  From the loop; the choice
 * may not be freed inside. */
typedef void input_choice_fn(unsigned position, const char *error, void *arg);

struct input_choice *input_choice_new(struct ev_loop *);
/* NULL-safe; sets *c to NULL.  Open requests fail. */
void input_choice_free(struct input_choice **);

/* Requests this position, or the next input with 0.  After -errno done is not
 * called. */
int input_choice_ask(struct input_choice *, struct channel *,
		     unsigned position, input_choice_fn *done, void *arg)
	MUST_CHECK;

/* The answer of the worker.  False: no such request. */
bool input_choice_answer(struct input_choice *, uint32_t seq,
			 const struct msg_stream_chosen *);

/* The worker has ended: open requests fail. */
void input_choice_down(struct input_choice *);
