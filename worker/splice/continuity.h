/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a splice knows of the stream it has put out: flat, so that it can stand
 * in memory that outlives the worker, where the next one goes on with it.
 *
 * Written in place as packets go out.  All of it may be a lie when it was left
 * by another process: splice_continuity_check() mends what is out of range, and
 * nothing but the time stamps of this stream hangs on the rest.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	SPLICE_CLOCKS = 64,  /* programs; further ones share the first's */
	SPLICE_TRACKS = 192, /* elementary streams with time stamps */
	SPLICE_CC_SEEN = 0x10,
};

/* The clock of one program as it went out.  Zeroed: not in use. */
struct splice_clock {
	uint16_t program;  /* 0: not known yet */
	uint16_t pid;      /* of its PCRs */
	uint8_t used;      /* a PCR went out */
	uint8_t anchored;  /* measurements in anchor, up to a bound */
	uint32_t packet_ticks; /* 27 MHz times 256: what one packet of the
				  stream lasts; 0: not known */
	uint64_t offset;   /* 90 kHz: added to all that came */
	uint64_t lift;     /* 90 kHz: added to PTS and DTS besides */
	uint64_t pcr;      /* 27 MHz: the last that went out ... */
	uint64_t at_ns;    /* ... when (CLOCK_MONOTONIC) ... */
	uint64_t at_packets; /* ... and behind how many packets */
	uint64_t anchor;   /* 27 MHz, with wrap: how far the PCRs that go out
			      are ahead of the time, smoothed */
	int64_t ahead;     /* 27 MHz: how far the source that plays had to be
			      put ahead of the anchor */
};

/* One elementary stream as it went out.  Zeroed: not in use. */
struct splice_track {
	uint16_t pid;
	uint8_t used;
	uint8_t clock;    /* index of its program's clock */
	uint32_t span;    /* 90 kHz: how long the last unit plays, as far as
			     can be told; 0: unknown */
	uint32_t slack;   /* 90 kHz: how far that may be wrong */
	uint64_t dts;     /* 90 kHz: the last that went out, and ... */
	uint64_t pts;     /* ... the highest PTS */
	uint64_t at_packets; /* behind how many packets */
};

struct splice_continuity {
	uint64_t packets; /* that went out, ever */
	uint64_t at_ns;   /* when the last of them did */
	uint64_t cuts;    /* ever */
	uint8_t cc[TS_PIDS]; /* the last counter, and SPLICE_CC_SEEN */
	struct splice_clock clocks[SPLICE_CLOCKS];
	struct splice_track tracks[SPLICE_TRACKS];
};

/* Puts every field in its range; no time in it is later than now_ns.  True
 * when a stream went out before, so that this one is to go on with it. */
bool splice_continuity_check(struct splice_continuity *, uint64_t now_ns);
