/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests to the worker of a stream to switch to another input.  Each request
 * gets one answer: that of the worker, or an error if the worker ends or does
 * not answer in time.
 *
 * Owns its requests and their timers; borrows the loop.
 */
#pragma once

#include "proto/ipc/msg.h"

struct channel;
struct ev_loop;
struct input_choice;

enum {
	INPUT_CHOICE_MAX = 64, /* open requests at a time */
};

/* Gets the position of the chosen input, and in error a warning if the input is
 * not on air ("": none); or position 0 with error.  Called from the loop; must
 * not free the choice. */
typedef void input_choice_fn(unsigned position, const char *error, void *arg);

struct input_choice *input_choice_new(struct ev_loop *);
/* NULL-safe; sets *c to NULL.  Open requests end with an error. */
void input_choice_free(struct input_choice **);

/* Requests the input at this position, or with 0 the next one; returns 0 or
 * -errno.  After 0, done is called once; after -errno, it is not called. */
int input_choice_ask(struct input_choice *, struct channel *,
		     unsigned position, input_choice_fn *done, void *arg)
	MUST_CHECK;

/* Takes the answer of the worker.  False: no request has this seq. */
bool input_choice_answer(struct input_choice *, uint32_t seq,
			 const struct msg_stream_chosen *);

/* The worker has ended: open requests end with an error. */
void input_choice_down(struct input_choice *);
