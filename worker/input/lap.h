/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how long one lap of a looped file lasts, by its own time stamps.
 *
 * Pure.  Embedded; zeroed memory is at the start of a lap.
 */
#pragma once

#include "worker/ts/pes_head.h"

enum { LAP_TRACKS = 32 /* elementary streams; the longest counts */ };

/* The decoding times of one elementary stream. */
struct lap_track {
	uint16_t pid;
	uint64_t first, last;
	int64_t span;   /* from the first to the last, which may wrap */
	uint64_t step;  /* distance of the first two different times */
	bool irregular; /* some distances differ from step */
};

struct lap {
	uint64_t packets;
	size_t n_tracks;
	struct lap_track tracks[LAP_TRACKS];
	struct pes_reader reader;
	/* the PCRs of the first PID that has them */
	bool has_pcr;
	uint16_t pcr_pid;
	uint64_t pcr_first, pcr_last;
	int64_t pcr_span; /* as that of a track, in 27 MHz */
	uint64_t first_at, last_at; /* packets of the lap before these PCRs */
};

/* Takes the next packet of the file, as it is in the file. */
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
