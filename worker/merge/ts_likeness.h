/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether two paths deliver copies of one stream.
 *
 * A packet that one path lost is in the other.  A PID of which each path
 * has many packets that the other lacks is a different one, even if all other
 * PIDs are equal: same video with another audio, other tables or time stamps.
 * Such paths must not be mixed.  They are tried again in growing intervals.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	TS_LIKE_PATHS = 2,
	/* Slots behind the PIDs: packets with a PCR, and all packets. */
	TS_LIKE_PCR = TS_PIDS,
	TS_LIKE_ALL,
	TS_LIKE_SLOTS,
};

enum ts_likeness_state {
	TS_LIKE_TRIAL, /* compared, not mixed */
	TS_LIKE_SAME,
	TS_LIKE_REFUSED, /* not compared */
};

/* Counts of the last packets; alone: packets that only this path has. */
struct ts_like_count {
	uint16_t common, alone[TS_LIKE_PATHS];
};

struct ts_likeness {
	enum ts_likeness_state state;
	unsigned refused; /* times, lately */
	unsigned wait_s; /* in this state */
	unsigned slot; /* the slot that differed */
	uint32_t differ, of; /* packets, when they were refused */
	struct ts_like_count count[TS_LIKE_SLOTS];
};

void ts_likeness_common(struct ts_likeness *, const uint8_t *packet);
void ts_likeness_alone(struct ts_likeness *, const uint8_t *packet,
		       unsigned path);

/* both: both paths deliver packets. */
void ts_likeness_every_second(struct ts_likeness *, bool both);
