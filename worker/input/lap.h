/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how long one lap of a looped file lasts, by its own time stamps.
 *
 * Pure.  Embedded; zeroed memory is at the start of a lap.
 */
#pragma once

#include "worker/ts/pes_head.h"

enum { LAP_TRACKS = 32 /* most elementary streams that are measured */ };

/* The decoding times of one elementary stream, in 90 kHz ticks. */
struct lap_track {
	uint16_t pid;
	uint64_t first, last;
	int64_t span;   /* from first to last, also over wraps */
	uint64_t step;  /* distance of the first two different times */
	bool irregular; /* some distances differ from step */
};

struct lap {
	uint64_t packets;
	size_t n_tracks;
	struct lap_track tracks[LAP_TRACKS];
	struct pes_reader reader;
	/* a PCR has arrived: the members below are of the first PID with
	 * PCRs */
	bool has_pcr;
	uint16_t pcr_pid;
	uint64_t pcr_first, pcr_last;
	/* from pcr_first to pcr_last in 27 MHz ticks, also over wraps */
	int64_t pcr_span;
	/* packets of the lap in front of pcr_first and of pcr_last */
	uint64_t first_at, last_at;
};

/* Takes the next packet of the file, with its original time stamps. */
void lap_feed(struct lap *, const uint8_t *packet);

/* Time from the first PCR of this lap to the last one so far. */
uint64_t lap_pcr_ns(const struct lap *);

/* Time from the first PCR of this lap to its end, extrapolated at the mean
 * rate; 0: no PCRs. */
uint64_t lap_clock_ns(const struct lap *);

/* Time from the first PCR to the end of the last access unit of the PID; 0:
 * unknown. */
uint64_t lap_track_ns(const struct lap *, uint16_t pid);

/* The time from the arrival of an access unit, which begins in the first
 * packet, to its decoding; 0: unknown. */
uint64_t lap_lead_ns(const struct lap *, const struct ts_run *runs,
		     size_t n_runs);

/* The length of the lap in 90 kHz ticks, from its first packet to the first
 * packet of the next lap; 0: no time stamps. */
uint64_t lap_length(const struct lap *);
