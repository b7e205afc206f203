/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When each packet of a file is due, by the PCRs in it.
 *
 * Packets are looked at ahead of their time.  Those between two PCRs are due
 * evenly between the times of the two; where the PCRs jump, as at the seam of
 * a loop, time goes on at the last rate.  Without PCRs FILE_CLOCK_BPS holds.
 *
 * Pure: time comes in as a number.  Embedded.
 */
#pragma once

#include "worker/ts/pcr.h"

enum {
	FILE_CLOCK_BPS = 2000000,
	/* Later than that the file does not catch up, it goes on from now. */
	FILE_CLOCK_LATE_MS = 200,
};

struct file_clock {
	struct pcr_clock pcr;
	uint64_t ticks; /* stream time at `to` */
	/* packets [from, to), counted since init, are due from_ns to to_ns */
	uint64_t from, to;
	uint64_t from_ns, to_ns;
	uint64_t slipped_ns; /* that it has gone on later, in all */
	/* faster than the PCRs say, in millionths: a live source has a clock
	 * of its own, and what waits here is not to grow or run out */
	int speed_ppm;
};

void file_clock_init(struct file_clock *, uint64_t now_ns);

/* Looks at the next packet; true when it has a PCR, so that the times of all
 * before it can be told: file_clock_advance(). */
bool file_clock_feed(struct file_clock *, const uint8_t *packet);

/* Goes on, behind `to`, to what was fed up to the last PCR, or (at_all) to all
 * that was fed. */
void file_clock_advance(struct file_clock *, uint64_t now_ns, bool at_all);

/* When a packet of [from, to] is due. */
uint64_t file_clock_when(const struct file_clock *, uint64_t packet);

/* The first packet that is not due yet, at most `to`. */
uint64_t file_clock_due(const struct file_clock *, uint64_t now_ns);
