/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides how many packets of a stream leave now.
 *
 * A bucket of time fills with the clock, up to PACER_BURST_MS.  Each packet
 * takes its duration at the rate of the stream.  One release is therefore at
 * most PACER_BURST_MS of the stream and one datagram, however irregular the
 * input and the wake-ups are.  While packets wait, the bucket fills faster than
 * the clock, the faster the longer the queue is.  A queue is therefore sent in
 * more releases, not in larger ones.
 *
 * The rate is the measured arrival rate of the last second.  Until a second is
 * measured it is the rate of the PCRs, if known.
 *
 * If wake-ups are so late that half a second waits, releases grow to
 * PACER_LATE_BURST_MS: a burst may disturb a receiver, a dropped packet
 * disturbs every viewer.
 *
 * Pure: time is an argument, packets are only counted.  Embedded.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PACER_BURST_MS = 10,
	PACER_HOLD_MS = 20,  /* longest wait of a partly filled datagram */
	PACER_QUEUE_MS = 1000, /* longest queue */
	PACER_QUEUE_MIN = 2048, /* least limit of the queue in packets: a newly
				 * measured rate may be far too low */
	PACER_LATE_BURST_MS = 40, /* longest release if more than half of
				   * PACER_QUEUE_MS waits */
};

struct pacer {
	bool started;
	bool unpaced;           /* every full datagram leaves at once */
	unsigned burst_ms;      /* length of a release; 0: PACER_BURST_MS */
	uint64_t now_ns;        /* time of the last call */
	int64_t credit_ns;      /* time in the bucket; below 0: overdrawn */
	uint64_t packet_ns;     /* duration of a packet; 0: unknown */
	uint64_t pcr_packet_ns; /* duration of a packet by the PCRs; 0:
				 * unknown */
	uint64_t slice_ns;      /* start of the current measurement */
	size_t slice_packets;
	unsigned slices;        /* finished measurements of 100 ms, up to 10 */
	uint64_t held_ns;       /* time at which a partial datagram began to
				 * wait; valid while held */
	bool held;
};

void pacer_init(struct pacer *);

/* Disables pacing: full datagrams leave at once. */
void pacer_disable(struct pacer *);

/* Sets smaller releases than PACER_BURST_MS, for a faster tick. */
void pacer_set_burst(struct pacer *, unsigned ms);

/* Is the rate measured, so that pacer_hint() has no effect any more? */
bool pacer_is_settled(const struct pacer *);

/* Sets the rate of the multiplex by its PCRs in bits per second; 0: unknown. */
void pacer_hint(struct pacer *, uint64_t pcr_bps);

/* Notes that n packets arrived at now_ns, which never goes back. */
void pacer_arrived(struct pacer *, uint64_t now_ns, size_t n);

/* Returns the number of the `waiting` packets that leave at now_ns: whole
 * datagrams, and a partly filled datagram if no packets have left for
 * PACER_HOLD_MS. */
size_t pacer_release(struct pacer *, uint64_t now_ns, size_t waiting);

/* The time of the next pacer_release() with `waiting` packets in the queue;
 * UINT64_MAX: when new packets arrive. */
uint64_t pacer_next_ns(const struct pacer *, size_t waiting);

/* Are the `waiting` packets more than one release may send? */
bool pacer_is_behind(const struct pacer *, size_t waiting);

/* The largest queue in packets; the caller drops older packets. */
size_t pacer_queue_max(const struct pacer *);
