/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes the time inside a stream and the rate of the multiplex from PCRs.
 *
 * Pure: time is that of the PCRs, in ticks of 27 MHz.
 */
#pragma once

#include "worker/ts/packet.h"

#define PCR_HZ UINT64_C(27000000)
#define PCR_WRAP ((UINT64_C(1) << 33) * 300)

enum {
	PCR_PER_TICK = 300, /* ticks of 27 MHz in a tick of 90 kHz */
	PCR_GAP_MAX_MS = 5000, /* longest step between PCRs of a time base */
};

/* later - earlier with wrap, below PCR_WRAP. */
static inline uint64_t pcr_diff(uint64_t later, uint64_t earlier)
{
	return later >= earlier ? later - earlier
				: later + PCR_WRAP - earlier;
}

/* later - earlier of a counter that wraps; negative if `later` is behind. */
static inline int64_t wrap_diff(uint64_t later, uint64_t earlier,
				uint64_t wrap)
{
	uint64_t diff = later >= earlier ? later - earlier
					 : later + wrap - earlier;

	return diff <= wrap / 2 ? (int64_t)diff
				: (int64_t)diff - (int64_t)wrap;
}

/*
 * Measures stream time and rate by the PCRs of one PID.
 *
 * A PCR starts a new time base when it has a discontinuity_indicator, goes
 * back, is more than PCR_GAP_MAX_MS ahead, advances too little for its packets
 * (10 Gbit/s), or is on another PID.  Stream time then continues without a jump
 * at the last known rate.
 *
 * Embedded.
 */
struct pcr_clock {
	uint16_t pid;        /* TS_PID_NULL until a PCR was seen */
	bool fixed;          /* pid was given to pcr_clock_init() */
	bool has_pcr;        /* last_pcr is valid */
	bool broken;         /* no PCR yet since pcr_clock_break() */
	uint64_t last_pcr;   /* 27 MHz */
	uint64_t packets;    /* packets fed since init */
	uint64_t at_packets; /* packets fed before that of last_pcr */
	uint64_t at_ticks;   /* stream time of last_pcr, 27 MHz */
	uint64_t span_ticks; /* last good interval between two PCRs, 27 MHz */
	uint64_t span_packets; /* packets in span_ticks; 0: rate unknown */
	uint32_t jumps;      /* new time bases since init */
};

/* pid: the PCR PID; TS_PID_NULL: the first PID that has PCRs, or another one if
 * its PCRs end. */
void pcr_clock_init(struct pcr_clock *, uint16_t pid);

/*
 * Takes the next packet of the multiplex (of any PID, null packets too).  True
 * when it carried a PCR of the clock's PID that set the rate.
 */
bool pcr_clock_feed(struct pcr_clock *, const uint8_t *packet);

/* Feeds n packets without a PCR at once. */
static inline void pcr_clock_pass(struct pcr_clock *c, uint64_t n)
{
	c->packets += n;
}

/* To be called when the next packets have another clock.  Until their first
 * PCR, stream time continues at the last rate, but at most by the last interval
 * between PCRs. */
static inline void pcr_clock_break(struct pcr_clock *c)
{
	c->has_pcr = false;
	c->broken = true;
}

/* Stream time of the next packet, in ticks since the first PCR, extrapolated
 * from the last PCR at the last rate.  It steps back a little at a PCR when the
 * rate has fallen since the previous PCR. */
uint64_t pcr_clock_ticks(const struct pcr_clock *);

/* Bits per second of the whole multiplex; 0 while not known. */
uint64_t pcr_clock_bps(const struct pcr_clock *);

/* Removes the PCR if the packet has one.  False: the packet has a PCR and no
 * payload, so the caller should drop it; it is unchanged. */
bool pcr_strip(uint8_t *packet);
