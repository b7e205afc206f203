/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes when each packet of a file is due, by its PCRs.
 *
 * Packets are fed ahead of their time.  Packets between two PCRs are due evenly
 * between the times of the two; where the PCRs jump, as at the seam of a loop,
 * time continues at the last rate.  Without PCRs the rate is FILE_CLOCK_BPS.
 *
 * Pure: time is an argument.  Embedded.
 */
#pragma once

#include "worker/ts/pcr.h"

enum {
	FILE_CLOCK_BPS = 2000000,
	/* Beyond this delay a file does not catch up: its playout continues
	 * from the current time.  An output with cbr drops packets that are as
	 * late. */
	FILE_CLOCK_LATE_MS = 1000,
};

struct file_clock {
	struct pcr_clock pcr;
	uint64_t ticks; /* stream time at `to`, in 27 MHz ticks */
	/* packets [from, to), numbered since init, are due between from_ns and
	 * to_ns */
	uint64_t from, to;
	uint64_t from_ns, to_ns;
	uint64_t slipped_ns; /* sum of the delays that were not caught up */
	/* correction of the pace in ppm; above 0: faster than the PCRs.  Set
	 * for a live source, so that the buffer neither grows nor empties. */
	int speed_ppm;
};

void file_clock_init(struct file_clock *, uint64_t now_ns);

/* Takes the next packet.  True: it has a new PCR of the PID that the clock
 * follows, so that file_clock_advance() can time all packets before it. */
bool file_clock_feed(struct file_clock *, const uint8_t *packet);

/* Times the packets behind `to` up to the last PCR, or (at_all) all that were
 * fed. */
void file_clock_advance(struct file_clock *, uint64_t now_ns, bool at_all);

/* The time at which a packet is due, which must be in [from, to]. */
uint64_t file_clock_when(const struct file_clock *, uint64_t packet);

/* The first packet that is not due yet, at most `to`. */
uint64_t file_clock_due(const struct file_clock *, uint64_t now_ns);
