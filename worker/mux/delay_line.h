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
 * PCR, the line starts again at the time of arrival.  A PCR that continues
 * after a pause is no jump, also if it is announced.
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
	LINE_PAUSE_MS = 2000, /* after a longer pause it starts again, too */
	LINE_WINDOW_MS = 1000, /* of a measurement of the earliest arrival */
	LINE_SLEW_PPM = 1000,
	/* A packet that arrives earlier by so much shows another path: more
	 * than the time between two reads of an input and of its source. */
	LINE_JUMP_MS = 160,
};

struct delay_line {
	uint64_t delay_ns;
	size_t max; /* packets */
	uint32_t source; /* number of the source of the next packets, chosen by
			  * the caller */

	uint8_t *packets;
	uint64_t *times;    /* of each packet at its source */
	uint32_t *sources;  /* the number of the source of each packet */
	size_t room, head, n;
	size_t most;        /* packets at once since delay_line_trim() */
	uint64_t pushed;    /* packets since the start */
	size_t since;       /* packets since the last PCR */

	bool has_pcr;       /* the PCRs of `pid' continue; see LINE_PCR_MS */
	uint16_t pid;       /* PID of the PCRs */
	uint64_t pcr;       /* 27 MHz: the last PCR */
	uint64_t pcr_ns;    /* source time of the last PCR */
	uint64_t arrival_ns; /* arrival of the last PCR */
	uint64_t last_ns;   /* source time of the last packet */
	uint64_t step_ns;   /* between two packets, as last known */

	/* the last packet that left: its source time, and when it left */
	uint64_t left_ns, left_at_ns;

	/* time of the machine minus that of the source: as applied, the least
	 * one of this measurement, and the one to be reached slowly */
	int64_t offset, earliest, wanted;
	uint64_t base_ns;   /* arrival of the first packet of the time base */
	uint64_t window_ns; /* start of the measurement */
};

void delay_line_done(struct delay_line *);

/* Once a second: frees memory that bursts have needed. */
void delay_line_trim(struct delay_line *);

/* Queues a packet that arrived by now_ns, which never decreases; false: there
 * is no room. */
bool delay_line_push(struct delay_line *, const uint8_t *packet,
		     uint64_t now_ns);

/* The time at which the first packet leaves, but not before from_ns;
 * UINT64_MAX: no packet waits. */
uint64_t delay_line_next(const struct delay_line *, uint64_t from_ns);

/* The index in the buffers of the nth packet behind the first one; nth: at most
 * n. */
static inline size_t delay_line_place(const struct delay_line *l, size_t nth)
{
	size_t at = l->head + nth;

	return at < l->room ? at : at - l->room;
}

/* The first packet, which may be changed; there is one. */
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

/* The time at which the nth packet behind the first one leaves, by what is
 * known now.  The packet must exist. */
static inline uint64_t delay_line_time(const struct delay_line *l, size_t nth)
{
	return l->times[delay_line_place(l, nth)] + (uint64_t)l->offset +
	       l->delay_ns;
}

/* The number of the source of the first packet; there is one. */
static inline uint32_t delay_line_source(const struct delay_line *l)
{
	return l->sources[l->head];
}

/* Removes the first packet, which leaves at at_ns, or is not sent. */
void delay_line_leave(struct delay_line *, uint64_t at_ns);
void delay_line_drop(struct delay_line *);

/* The number of packets that leave in the time from from_ns to now_ns. */
size_t delay_line_due(const struct delay_line *, uint64_t from_ns,
		      uint64_t now_ns);
