/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processor time that the messages of a worker may still cost the master:
 * CHANNEL_COST_PERCENT of a processor, saved up to CHANNEL_COST_SAVED_MS.
 * Embedded.  Reads the clock, else pure.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct credit {
	int64_t left_ns; /* below 0: they have cost more than they may */
	uint64_t at_ns;  /* monotonic time at which left_ns was computed */
	/* Monotonic time at which left_ns fell below 0; 0: it has not, or has
	 * since been above half of what is saved at most. */
	uint64_t owed_ms;
};

void credit_start(struct credit *);

/* Adds what the reply to a request of this type may cost.  deliver.answer is no
 * request: it adds what the question has cost. */
void credit_allow(struct credit *, enum msg_type);

/* Adds the credit of the time since the last call, and subtracts what a message
 * has cost. */
void credit_charge(struct credit *, int64_t cost_ns);

/* The seconds until the next messages may be read; 0: they may now.  Behind a
 * pause there is credit for more than one message. */
double credit_wait_s(const struct credit *);

/* True: the messages have cost too much for CHANNEL_COST_OWED_MS. */
bool credit_is_exceeded(const struct credit *);
