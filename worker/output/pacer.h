/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides how much of a stream may leave now.
 *
 * A bucket of time: it fills with the clock, never above PACER_BURST_MS, and
 * each packet takes the time it lasts at the rate of the stream.  So whatever
 * the input does, and however late a wake-up comes, one release is at most
 * PACER_BURST_MS of the stream and one datagram.  While packets wait the
 * bucket fills faster than the clock, the longer the queue the more: a queue
 * is worked off in more releases, not in bigger ones.
 *
 * The rate is what arrives, watched for about a second; until there is a
 * second of it, the rate that the PCRs tell when it is known.
 *
 * Where wake-ups come so late that half a second waits, releases grow to
 * PACER_LATE_BURST_MS: a burst may cost a receiver something, a packet that is
 * dropped costs every viewer.
 *
 * Pure: time comes in as a number, packets are only counted.  Embedded.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PACER_BURST_MS = 10,
	PACER_HOLD_MS = 20,  /* a part of a datagram waits so long for more */
	PACER_QUEUE_MS = 1000, /* more than that is dropped ... */
	PACER_QUEUE_MIN = 2048, /* ... but for so many packets: a rate that was
				 * just found may be far too low */
	PACER_LATE_BURST_MS = 40, /* with more than half of that waiting */
};

struct pacer {
	bool started;
	bool unpaced;           /* all leaves at once */
	unsigned burst_ms;      /* of one release; 0: PACER_BURST_MS */
	uint64_t now_ns;        /* of the last call */
	int64_t credit_ns;
	uint64_t packet_ns;     /* what one packet lasts; 0: not known */
	uint64_t pcr_packet_ns; /* the same by the PCRs; 0: not known */
	uint64_t slice_ns;      /* since when arrivals are counted */
	size_t slice_packets;
	unsigned slices;        /* finished, up to what makes a good rate */
	uint64_t held_ns;       /* since when a part of a datagram waits */
	bool held;
};

void pacer_init(struct pacer *);

/* From now on datagrams are filled, and that is all: they leave at once. */
void pacer_let_go(struct pacer *);

/* Smaller releases than PACER_BURST_MS, for who asks as often. */
void pacer_set_burst(struct pacer *, unsigned ms);

/* Is the rate known from arrivals, so that a hint is not needed any more? */
bool pacer_is_settled(const struct pacer *);

/* The rate of the multiplex by its PCRs, bits per second; 0: not known. */
void pacer_hint(struct pacer *, uint64_t pcr_bps);

/* n packets arrived at now_ns (never goes back). */
void pacer_arrived(struct pacer *, uint64_t now_ns, size_t n);

/*
 * How many of the `waiting` packets leave at now_ns.  Whole datagrams, except
 * that a rest that nothing came to for PACER_HOLD_MS leaves as it is.
 */
size_t pacer_release(struct pacer *, uint64_t now_ns, size_t waiting);

/* When to ask again, with `waiting` packets left; UINT64_MAX: when more
 * packets arrive. */
uint64_t pacer_next_ns(const struct pacer *, size_t waiting);

/* Are the `waiting` packets more than one release may take? */
bool pacer_is_behind(const struct pacer *, size_t waiting);

/* More than that many waiting packets are too late to be sent. */
size_t pacer_queue_max(const struct pacer *);
