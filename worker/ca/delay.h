/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delays packets for a fixed time.
 *
 * If more than seven eighths of DELAY_BYTES_MAX bytes wait, the oldest packets
 * leave early.  Embedded.
 */
#pragma once

#include "worker/input/packet_ring.h"

enum {
	DELAY_BYTES_MAX = 64 * 1024 * 1024,
	DELAY_STEPS_MAX = 16384, /* arrivals with a separate time */
	DELAY_STEP_MS = 1,
};

struct delay {
	unsigned ms; /* 0: packets are not delayed */
	struct packet_ring ring;
	struct delay_step *steps; /* NULL until the first packet */
	size_t head, n; /* of the ring of steps: head: index of the first; n:
			 * number */
};

/* Packets that arrived within DELAY_STEP_MS. */
struct delay_step {
	uint64_t ns;
	size_t n; /* number of packets */
};

void delay_init(struct delay *, unsigned ms);
void delay_done(struct delay *);
/* Drops the waiting packets. */
void delay_reset(struct delay *);

void delay_push(struct delay *, struct ts_run, uint64_t now_ns);

/* Returns the next packets that are due and arrived together, or a part of
 * them; they are valid until the next push.  *ret_ns: time of their arrival.  n
 * is 0 if no packets are due. */
struct ts_run delay_pull(struct delay *, uint64_t now_ns, uint64_t *ret_ns);

/* The time when the next packets are due; UINT64_MAX: none wait. */
uint64_t delay_next_ns(const struct delay *);
