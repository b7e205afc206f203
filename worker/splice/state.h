/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a splice knows of the stream it has put out: flat, so that it can stand
 * in memory that outlives the worker, where the next one goes on with it.
 *
 * Written in place as packets go out.  All of it may be a lie when it was left
 * by another process: splice_state_judge() mends what is out of range, and
 * nothing but the time stamps of this stream hangs on the rest.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	SPLICE_CLOCKS = 16, /* programs with PCRs of their own */
	SPLICE_TRACKS = 64, /* elementary streams with time stamps */
};

/* The clock of one program as it went out.  Zeroed: not in use. */
struct splice_clock {
	uint16_t pid;      /* of its PCRs */
	uint8_t used;
	uint8_t anchored;  /* anchor holds */
	uint32_t packet_ticks; /* 27 MHz: what one packet of the stream lasts,
				  times 256; 0: not known */
	uint64_t offset;   /* 90 kHz: added to what came; below 2^33 */
	uint64_t lift;     /* 90 kHz: added to PTS and DTS as well */
	uint64_t pcr;      /* 27 MHz: the last that went out ... */
	uint64_t at_ns;    /* ... when (CLOCK_MONOTONIC) ... */
	uint64_t at_packets; /* ... and behind how many packets */
	int64_t anchor;    /* 27 MHz: PCRs that go out, less the time at which
			      they do, smoothed */
};

/* One elementary stream as it went out.  Zeroed: not in use. */
struct splice_track {
	uint16_t pid;
	uint8_t used;
	uint8_t clock;    /* index of its program's clock */
	uint32_t step;    /* 90 kHz: between the last two DTS */
	uint64_t dts;     /* 90 kHz: the last that went out */
};

struct splice_state {
	uint64_t packets; /* that went out, ever */
	uint64_t cuts;    /* ever */
	struct splice_clock clocks[SPLICE_CLOCKS];
	struct splice_track tracks[SPLICE_TRACKS];
	uint8_t cc[TS_PIDS]; /* the last counter, and SPLICE_CC_SEEN */
};

enum { SPLICE_CC_SEEN = 0x10 };

/* Makes sure that no field is out of its range; now_ns is no earlier than any
 * time in it.  True when a stream went out before, so that it is to go on. */
bool splice_state_judge(struct splice_state *, uint64_t now_ns);
