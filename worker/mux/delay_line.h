/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delays the packets of an input of a multiplex by a constant time after their
 * source sent them, so that they leave at the intervals of their source, even
 * if they arrive in bursts.
 *
 * The time of a packet at its source comes from the PCRs of one PID; packets
 * between two PCRs are spread evenly.  The packets that arrive the earliest
 * show the difference between this time and that of the machine.  The line
 * follows a change of the difference by LINE_SLEW_PPM.  Packets that arrive too
 * late to leave in time catch up at twice the rate of their source, so that no
 * decoder gets them at once.  After a jump of the PCR, or LINE_PCR_MS without a
 * PCR, the line starts again at the time of arrival.  A PCR that continues the
 * old time base after a pause is no jump, even if a discontinuity_indicator
 * announces a jump.
 *
 * Pure.  Embedded; zeroed memory with delay_ns and max is ready.  Owns its
 * packets.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LINE_PCR_MS = 200,
	LINE_PAUSE_MS = 2000, /* after a longer pause without any packet the
			       * line starts again, too */
	LINE_WINDOW_MS = 1000, /* length of a measurement of the earliest
				* arrival */
	LINE_SLEW_PPM = 1000, /* highest speed at which the offset changes */
	/* If a packet arrives earlier than all others by this time, the network
	 * path is another one.  This time is longer than the time between two
	 * reads of an input and of its source. */
	LINE_JUMP_MS = 160,
};

struct delay_line {
	uint64_t delay_ns;
	size_t max; /* most packets that the queue holds */
	uint32_t source; /* number of the source of the next packets, chosen by
			  * the caller */

	/* the queue: `n' packets in a ring of `room', from `head' on */
	uint8_t *packets;
	uint64_t *times;    /* for each packet: ns in the clock of its source */
	uint32_t *sources;  /* for each packet: number of its source */
	size_t room, head, n;
	size_t most;        /* highest `n' since delay_line_trim() */
	uint64_t pushed;    /* packets that were ever queued */
	size_t since;       /* packets that were queued since the last PCR */

	bool has_pcr;       /* `pid' still has PCRs; see LINE_PCR_MS */
	uint16_t pid;       /* PID of the PCRs */
	uint64_t pcr;       /* 27 MHz: the last PCR */
	uint64_t pcr_ns;    /* source time of the last PCR */
	uint64_t arrival_ns; /* arrival of the last PCR */
	uint64_t last_ns;   /* source time of the last packet */
	uint64_t step_ns;   /* source time between two packets, as last
			     * measured */

	/* the last packet that left: its source time, and the time at which it
	 * left */
	uint64_t left_ns, left_at_ns;

	/* Time of the machine minus source time: `offset' is applied;
	 * `earliest' is the least of this measurement; `offset' moves slowly to
	 * `wanted'. */
	int64_t offset, earliest, wanted;
	uint64_t base_ns;   /* arrival of the first packet of the time base */
	uint64_t window_ns; /* start of the current measurement of `earliest' */
};

void delay_line_done(struct delay_line *);

/* Once a second: frees memory that bursts have needed. */
void delay_line_trim(struct delay_line *);

/* Queues a packet that arrived by now_ns, which never decreases.  False: there
 * is no room, and the packet is not queued. */
bool delay_line_push(struct delay_line *, const uint8_t *packet,
		     uint64_t now_ns);

/* The time at which the first packet leaves, or from_ns if that is later;
 * UINT64_MAX: the queue is empty. */
uint64_t delay_line_next(const struct delay_line *, uint64_t from_ns);

/* The index in `packets' and `times' of the nth packet behind the first one;
 * nth: at most l->n. */
static inline size_t delay_line_place(const struct delay_line *l, size_t nth)
{
	size_t at = l->head + nth;

	return at < l->room ? at : at - l->room;
}

/* The first packet, which may be changed.  The queue is not empty. */
static inline uint8_t *delay_line_first(const struct delay_line *l)
{
	return l->packets + l->head * TS_PACKET;
}

/* The nth packet behind the first one, which must exist. */
static inline const uint8_t *delay_line_at(const struct delay_line *l,
					   size_t nth)
{
	return l->packets + delay_line_place(l, nth) * TS_PACKET;
}

/* The time at which the nth packet behind the first one leaves, if it is not
 * late and the offset does not change.  The packet must exist. */
static inline uint64_t delay_line_time(const struct delay_line *l, size_t nth)
{
	return l->times[delay_line_place(l, nth)] + (uint64_t)l->offset +
	       l->delay_ns;
}

/* The number of the source of the first packet.  The queue is not empty. */
static inline uint32_t delay_line_source(const struct delay_line *l)
{
	return l->sources[l->head];
}

/* Removes the first packet, which leaves at at_ns. */
void delay_line_leave(struct delay_line *, uint64_t at_ns);
/* Removes the first packet, which is not sent. */
void delay_line_drop(struct delay_line *);

/* The number of packets that leave in the time from from_ns to now_ns. */
size_t delay_line_due(const struct delay_line *, uint64_t from_ns,
		      uint64_t now_ns);
