/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Are two paths copies of one stream?
 *
 * What one path lost only the other has; a PID of which each has much that the
 * other has not is another one, though all others may be the same: the same
 * pictures with other sound, with other tables or other time stamps.  Such two
 * must not be mixed.  They are tried again later, and each time later.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	TS_LIKE_PATHS = 2,
	/* Behind the PIDs: packets with a PCR, and all. */
	TS_LIKE_PCR = TS_PIDS,
	TS_LIKE_ALL,
	TS_LIKE_SLOTS,
};

enum ts_likeness_state {
	TS_LIKE_TRIAL, /* compared, not mixed */
	TS_LIKE_SAME,
	TS_LIKE_REFUSED, /* not compared */
};

/* Of the last packets; alone: those that only this path has. */
struct ts_like_count {
	uint16_t common, alone[TS_LIKE_PATHS];
};

struct ts_likeness {
	enum ts_likeness_state state;
	unsigned refused; /* times, lately */
	unsigned wait_s; /* in this state */
	unsigned slot; /* that told them apart */
	uint32_t differ, of; /* packets, as they were refused */
	struct ts_like_count count[TS_LIKE_SLOTS];
};

void ts_likeness_common(struct ts_likeness *, const uint8_t *packet);
void ts_likeness_alone(struct ts_likeness *, const uint8_t *packet,
		       unsigned path);

/* Once a second; both: both bring packets. */
void ts_likeness_second(struct ts_likeness *, bool both);
