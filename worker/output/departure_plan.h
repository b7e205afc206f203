/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When each datagram is to leave, where the kernel waits for that time
 * (SO_TXTIME and a queue of the kind fq): evenly spaced, whatever the releases
 * are.
 *
 * It goes by the rate of the last second, and keeps what was given to the
 * kernel DEPARTURE_LEAD_MS ahead of the clock: farther ahead they leave closer
 * to each other, less far ahead farther apart.  What was planned never goes
 * back, as a queue by time would let datagrams overtake each other.
 *
 * The queue of a flow is bounded: a rate whose datagrams would not fit with
 * room to spare is not planned, they leave at once.
 *
 * Pure.  Embedded.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	DEPARTURE_LEAD_MS = 10,
	DEPARTURE_SPARE = 5, /* times that and a release of 10 ms may wait */
};

struct departure_plan {
	unsigned limit;     /* datagrams that the kernel's queue holds; 0: no
			     * plan */
	uint64_t last_ns;   /* planned last */
	uint64_t each_ns;   /* from one to the next; 0: not known yet */
	uint64_t window_ns; /* since when they are counted */
	uint64_t counted;
};

void departure_plan_init(struct departure_plan *, unsigned limit);

/* The time of the next one of those that are given to the kernel now. */
uint64_t departure_plan_next(struct departure_plan *, uint64_t now_ns);
