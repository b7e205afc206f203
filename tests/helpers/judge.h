/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reader of transport streams of its own, which shares nothing with the
 * programs it judges: what would a receiver find?
 *
 * Of each program's clock: how far PCRs are apart (by their values), how often
 * they went back, or on by more than 100 ms without being announced, and how
 * far they strayed from the times of arrival (where those are known) and from
 * their bytes (when that is asked for).  Of each
 * elementary stream: units whose DTS is not later than the one before, that
 * were cut short, that came after their DTS.  Of PAT and PMTs: new versions
 * with nothing new, something new under an old version.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JUDGE_EVENTS = 20 };

struct judge_pid;

struct judge_pcr {
	uint64_t packets; /* before it */
	int64_t step;     /* since the one before; 0: starts again */
};

/* Times are in ticks of 27 MHz. */
struct judge {
	uint64_t packets, sync, tei, cc, discontinuities;
	uint64_t pcrs, pcr_back, pcr_jump, crc;
	uint64_t units, dts_back, dts_late, cut_short;
	uint64_t idle_versions, silent_changes, pmts;
	int64_t pcr_gap, stray_min, stray_max, dts_gap, lead_min, lead_max;
	int64_t pcr_span;
	size_t n_events;
	char events[JUDGE_EVENTS][96];
	struct judge_pid **pids; /* those that were seen or named */
	uint16_t *clock_of; /* by program: the PID of its PCRs */
	unsigned clock; /* the PID of the first PCR */
	size_t n_steps, max_steps;
	struct judge_pcr *steps;
};

void judge_init(struct judge *);
void judge_done(struct judge *);

/* Takes the whole packets in data.  arrival: in 27 MHz, or -1. */
void judge_take(struct judge *, const uint8_t *data, size_t len,
		int64_t arrival);

/*
 * For a stream of one bit rate: the maximum difference of its PCRs from their
 * place by the bytes before them, without a pause of more than 100 ms between.
 * A clock that gains or loses at a cut shows, whenever its packets arrived.
 */
int64_t judge_wander(const struct judge *);

/* The mean duration of a packet by the PCRs, without their jumps; 0: no
 * PCRs. */
double judge_ticks(const struct judge *);
