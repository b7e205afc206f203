/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether two paths deliver copies of one stream.
 *
 * Each of two copies has the packets that the other lost.  If each path has
 * many packets of a PID that the other path does not have, this PID differs,
 * even if all other PIDs are equal: the same video with another audio, other
 * tables or other time stamps.  Such paths must not be mixed, and are compared
 * again in growing intervals.  While each path has a few such packets of a PID,
 * but more of them than common ones, copies are not accepted, for at most a
 * minute.
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
	TS_LIKE_TRIAL, /* paths are compared, but not mixed yet */
	TS_LIKE_SAME,
	TS_LIKE_REFUSED, /* paths differ, and are not compared for a while */
};

/* Counts of the last packets: those that both paths have (common), and for each
 * path those that only this path has (alone). */
struct ts_like_count {
	uint16_t common, alone[TS_LIKE_PATHS];
};

struct ts_likeness {
	enum ts_likeness_state state;
	/* recent refusals, up to BACK_OFF_DOUBLINGS (ts_likeness.c); each
	 * further one doubles the time to the next trial */
	unsigned refused;
	unsigned wait_s; /* seconds in this state with packets on both paths */
	unsigned slot; /* the slot that differed at the last refusal */
	/* at the last refusal: packets that differed, of all compared */
	uint32_t differ, of;
	unsigned doubtful; /* slots of which each path has more packets that
			    * the other lacks than common ones */
	bool doubt_ahead; /* value of doubt in the last ts_likeness_ahead() */
	/* by PID, then the slots TS_LIKE_PCR and TS_LIKE_ALL */
	struct ts_like_count count[TS_LIKE_SLOTS];
};

void ts_likeness_common(struct ts_likeness *, const uint8_t *packet);
void ts_likeness_alone(struct ts_likeness *, const uint8_t *packet,
		       unsigned path);

/* Takes the result of a comparison of the waiting packets.  common: packets
 * that both paths have.  alone: packets that the other path lacks, of the path
 * with fewer of them.  doubt: of some PID, each path has more packets that the
 * other lacks than common ones.  Accepts the paths as copies if enough packets
 * are common, few are not, no PID is doubtful, and there was no recent
 * refusal. */
void ts_likeness_ahead(struct ts_likeness *, size_t common, size_t alone,
		       bool doubt);

/* Call it once a second.  both: both paths deliver packets. */
void ts_likeness_every_second(struct ts_likeness *, bool both);
