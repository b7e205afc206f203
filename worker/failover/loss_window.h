/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Detects that an input loses packets again and again, although no pause shows
 * it: single lost datagrams, several a second, for seconds.
 *
 * Losses apart from each other are counted in the last LOSS_WINDOW_S.  They are
 * repeated losses if they are LOSS_LEAST or more, and if one datagram for each
 * loss is at least LOSS_PERMILLE of the packets.  A fast input may therefore
 * lose a datagram more often than a slow one.
 *
 * Losses within SILENCE_APART_MS count as one, so a fast input has more losses
 * than are counted.  Its losses are repeated, too, if more are counted than if
 * LOSS_CHANCE_PERMILLE of the packets were lost at random.
 *
 * A packet with transport_error_indicator is a lost packet.
 *
 * Embedded, pure; zeroed memory is an input without packets yet.
 */
#pragma once

#include "common/base/units.h"
#include "worker/failover/silence.h"
#include "worker/ts/cc.h"

enum {
	LOSS_WINDOW_S = 10,
	LOSS_LEAST = 20,
	LOSS_PERMILLE = 6,
	LOSS_CHANCE_PERMILLE = 15,
};

struct loss_window {
	uint64_t second; /* number of the newest second (monotonic clock) */
	struct loss_second {
		uint64_t packets;
		unsigned losses;
	} seconds[LOSS_WINDOW_S];
	/* time of the last loss that was counted in `seconds'; 0: none.  A gap
	 * that belongs to this loss is not counted again
	 * (loss_window_knows()). */
	uint64_t loss_ns;
};

static inline void loss_window_advance(struct loss_window *w, uint64_t second)
{
	uint64_t passed = MIN(second - w->second, (uint64_t)LOSS_WINDOW_S);

	for (uint64_t i = 0; i < passed; i++)
		w->seconds[(second - i) % LOSS_WINDOW_S] =
			(struct loss_second){ 0 };
	w->second = second;
}

/* How many of `losses' at random times are counted: a loss within
 * SILENCE_APART_MS after a counted loss is not counted. */
static inline uint64_t loss_window_counted(uint64_t losses)
{
	const uint64_t window_ms = LOSS_WINDOW_S * 1000;

	return losses * window_ms / (window_ms + losses * SILENCE_APART_MS);
}

static inline bool loss_window_goes_on(const struct loss_window *w)
{
	uint64_t packets = 0, losses = 0, by_chance;

	for (unsigned i = 0; i < LOSS_WINDOW_S; i++) {
		packets += w->seconds[i].packets;
		losses += w->seconds[i].losses;
	}
	by_chance = packets * LOSS_CHANCE_PERMILLE / (DATAGRAM_PACKETS * 1000);
	return losses >= LOSS_LEAST &&
	       (losses * DATAGRAM_PACKETS * 1000 >= packets * LOSS_PERMILLE ||
		losses > loss_window_counted(by_chance));
}

/* True if the gap in this read belongs to a loss that was already counted.  A
 * lost datagram has packets of several PIDs, and a PID with few packets shows
 * its gap late. */
static inline bool loss_window_knows(const struct loss_window *w,
				     const struct silence_read *r,
				     uint64_t now_ns)
{
	return w->loss_ns != 0 &&
	       (now_ns - w->loss_ns < SILENCE_APART_MS * MS ||
		(r->before_ns != 0 && r->before_ns <= w->loss_ns));
}

/* Takes the packets of a read.  True: packets were lost, and these are repeated
 * losses. */
static inline bool loss_window_feed(struct loss_window *w,
				    const struct silence_read *r,
				    uint64_t now_ns)
{
	struct loss_second *s;

	loss_window_advance(w, now_ns / SECOND_NS);
	s = &w->seconds[w->second % LOSS_WINDOW_S];
	s->packets += r->n;
	if (!r->gap || loss_window_knows(w, r, now_ns))
		return false;
	w->loss_ns = now_ns;
	s->losses++;
	return loss_window_goes_on(w);
}

/* Finds losses without a monitor. */
struct loss_finder {
	struct cc cc;
	/* a bit for each PID that had packets since the last loss that
	 * counted */
	uint64_t since_loss[TS_PIDS / 64];
};

/* Returns the number of losses in a run.  loss_ns: the time of the last loss
 * that counted.  *ret_ns becomes at least the latest time at which a packet in
 * front of a loss can have arrived: now_ns, or loss_ns if the PID had no packet
 * since then. */
static inline uint32_t loss_finder_feed(struct loss_finder *f,
					struct ts_run run, uint64_t loss_ns,
					uint64_t now_ns, uint64_t *ret_ns)
{
	uint32_t losses = 0;

	for (size_t i = 0; i < run.n; i++) {
		const uint8_t *p = run.data + i * TS_PACKET;
		uint16_t pid = ts_pid(p), before = f->cc.pid[pid];
		bool gap = cc_feed(&f->cc, p) == CC_ERROR;
		bool none = !(f->since_loss[pid / 64] >> pid % 64 & 1);

		if (f->cc.pid[pid] != before)
			f->since_loss[pid / 64] |= UINT64_C(1) << pid % 64;
		if (!gap && !(ts_sync_ok(p) && ts_tei(p) && pid != TS_PID_NULL))
			continue;
		losses++;
		*ret_ns = MAX(*ret_ns, gap && none ? loss_ns : now_ns);
	}
	return losses;
}

/* Call it when a loss has counted: the PIDs have had no packets since then. */
static inline void loss_finder_note(struct loss_finder *f)
{
	memset(f->since_loss, 0, sizeof f->since_loss);
}
