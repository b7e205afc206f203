/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans the time at which each datagram leaves, for a kernel that sends at a
 * given time (SO_TXTIME and an fq queue).  Datagrams are evenly spaced, even if
 * the releases are irregular.
 *
 * The plan uses the rate of the last second and keeps the planned times
 * DEPARTURE_LEAD_MS ahead of the clock: with a longer lead datagrams leave
 * closer together, with a shorter lead farther apart.  Planned times never
 * decrease, because the queue would reorder the datagrams.
 *
 * The queue of a flow is limited.  At a rate whose datagrams would not fit with
 * a margin there is no plan: the datagrams leave at once.
 *
 * Pure.  Embedded.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	DEPARTURE_LEAD_MS = 10,
	DEPARTURE_SPARE = 5, /* margin of the queue, in leads */
};

struct departure_plan {
	unsigned limit;     /* datagrams that may queue; 0: no plan */
	uint64_t last_ns;   /* last planned time */
	uint64_t each_ns;   /* time between two datagrams; 0: unknown */
	uint64_t window_ns; /* start of the current measurement */
	uint64_t counted;   /* datagrams since then */
};

void departure_plan_init(struct departure_plan *, unsigned limit);

/* Returns the time at which the datagram that the kernel gets now should
 * leave. */
uint64_t departure_plan_next(struct departure_plan *, uint64_t now_ns);
