/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holds packets for a fixed time.
 *
 * At most DELAY_BYTES_MAX wait: above that the oldest leave early.  Embedded.
 */
#pragma once

#include "worker/input/packet_ring.h"

enum {
	DELAY_BYTES_MAX = 64 * 1024 * 1024,
	DELAY_STEPS_MAX = 16384, /* arrivals that are told apart */
	DELAY_STEP_MS = 1,
};

struct delay {
	unsigned ms; /* 0: packets pass */
	struct packet_ring ring;
	struct delay_step *steps; /* NULL until the first packet */
	size_t head, n; /* of the steps */
};

/* Packets that arrived together. */
struct delay_step {
	uint64_t ns;
	size_t n; /* packets */
};

void delay_init(struct delay *, unsigned ms);
void delay_done(struct delay *);
/* Drops the waiting packets. */
void delay_reset(struct delay *);

void delay_push(struct delay *, struct ts_run, uint64_t now_ns);

/* The next packets that are due and arrived together, or a part of them;
 * borrowed up to the next push.  *ret_ns: their arrival.  n is 0: none are
 * due. */
struct ts_run delay_pull(struct delay *, uint64_t now_ns, uint64_t *ret_ns);

/* The time at which the next packets are due; UINT64_MAX: none wait. */
uint64_t delay_next_ns(const struct delay *);
