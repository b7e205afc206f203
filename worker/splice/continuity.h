/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters, clocks and times of the stream that a splice has sent.  The struct
 * has no pointers, so it can lie in memory that outlives the worker, and the
 * next worker continues from it.
 *
 * It is updated as packets go out.  Memory of another process may hold any
 * value: splice_continuity_check() resets values that are out of range.  Other
 * wrong values affect only the time stamps of this stream.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	SPLICE_CLOCKS = 64,  /* most clocks; further programs use the first */
	SPLICE_TRACKS = 192, /* most elementary streams with time stamps */
	SPLICE_CC_SEEN = 0x10, /* bit of cc[]: a packet of the PID was sent */
};

/* The output clock of a program.  Zeroed: not in use. */
struct splice_clock {
	uint16_t program;  /* program_number; 0: unknown */
	uint16_t pid;      /* PCR PID */
	uint8_t used;      /* a PCR went out */
	uint8_t anchored;  /* number of measurements in anchor, at most
			      SPLICE_CLOCK_SMOOTH */
	uint32_t packet_ticks; /* 27 MHz times 256: duration of one packet of
				  the stream; 0: unknown */
	uint64_t offset;   /* 90 kHz: added to all times of the source */
	uint64_t lift;     /* 90 kHz: added to PTS and DTS besides offset */
	uint64_t pcr;      /* 27 MHz: the last PCR that went out */
	uint64_t at_ns;    /* time of pcr (CLOCK_MONOTONIC) */
	uint64_t at_packets; /* packets sent before pcr */
	uint64_t anchor;   /* 27 MHz, with wrap: the lead of the output PCRs
			      over the time, smoothed */
	int64_t ahead;     /* 27 MHz: by how much the PCRs of the active source
			      had to be placed ahead of the anchor */
};

/* An elementary stream of the output.  Zeroed: not in use. */
struct splice_track {
	uint16_t pid;
	uint8_t used;
	uint8_t clock;    /* index of its program's clock */
	uint32_t span;    /* 90 kHz: estimated duration of the last unit; 0:
			     unknown */
	uint32_t slack;   /* 90 kHz: the possible error of span */
	uint64_t dts;     /* 90 kHz: the last DTS that went out */
	uint64_t pts;     /* 90 kHz: the highest PTS that went out */
	uint64_t at_packets; /* packets sent before dts */
};

struct splice_continuity {
	uint64_t packets; /* packets sent since the start of the stream */
	uint64_t at_ns;   /* time of the last packet */
	uint64_t cuts;    /* cuts since the start of the stream */
	/* per PID: the last continuity counter that was sent, with the bit
	 * SPLICE_CC_SEEN; 0: no packet was sent */
	uint8_t cc[TS_PIDS];
	struct splice_clock clocks[SPLICE_CLOCKS];
	struct splice_track tracks[SPLICE_TRACKS];
};

/* Resets clocks and tracks with fields that are out of range or later than
 * now_ns.  True: a stream was sent before, so that the new one continues it. */
bool splice_continuity_check(struct splice_continuity *, uint64_t now_ns);
