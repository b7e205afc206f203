/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Skips the positions, and drops the packets, that are too late because the
 * machine was busy. */
#include "worker/output/cbr_state.h"

#define PACKET_BITS CBR_PACKET_BITS

enum {
	/* Of a longer delay only this time counts as skipped positions. */
	LATE_COUNTED_MS = 60000,
};

uint64_t cbr_positions_until(const struct cbr *c, uint64_t tick)
{
	if (tick < c->tick)
		return 0;
	return (tick - c->tick) * c->bps / (PACKET_BITS * PCR_HZ) + 1;
}

static void advance(struct cbr *c, uint64_t n)
{
	uint64_t bits = n * PACKET_BITS * PCR_HZ + c->part;

	c->tick += bits / c->bps;
	c->part = bits % c->bps;
}

size_t cbr_limit(const struct cbr *c, uint64_t now_tick)
{
	uint64_t late;

	if (c->places != NULL || !c->running ||
	    now_tick < c->tick + CBR_BEHIND_MS * CBR_TICKS_MS)
		return c->content_max;
	late = cbr_positions_until(c, now_tick);
	return (size_t)MIN(late, (uint64_t)c->queue_max) + c->content_max;
}

void cbr_drop_first(struct cbr *c)
{
	const uint8_t *p = fifo_run(&c->fifo).data;
	uint8_t place = c->clock_of[ts_pid(p)];
	struct cbr_clock *clock = &c->clocks[place > 0 ? place - 1 : 0];
	uint64_t pcr;

	if (place > 0 && ts_discontinuity(p) && ts_pcr(p, &pcr) &&
	    !ts_tei(p) && !cbr_clock_skip(clock))
		cbr_set_begun(c, clock, true);
	fifo_drop(&c->fifo, 1);
	c->place++;
}

/* A clock whose PCRs measure the age of queued packets; NULL: there is none. */
static const struct cbr_clock *find_reference(const struct cbr *c)
{
	for (size_t i = 0; i < c->n_clocks; i++)
		if (c->clocks[i].running &&
		    !cbr_is_gone(&c->clocks[i], c->tick))
			return &c->clocks[i];
	return NULL;
}

/* The number of queued packets that are older than CBR_LATE_MS of the source,
 * by their PCRs; 0: none, or unknown. */
static size_t count_late(const struct cbr *c)
{
	const struct cbr_clock *k = find_reference(c);
	struct ts_run run = fifo_run(&c->fifo);
	int64_t most = CBR_LATE_MS * (int64_t)CBR_TICKS_MS;
	bool any = false; /* a PCR is late */
	uint64_t pcr;

	for (size_t i = 0; k != NULL && i < run.n; i++) {
		const uint8_t *p = run.data + i * TS_PACKET;

		if (ts_pid(p) != k->pid || !ts_pcr(p, &pcr) || ts_tei(p))
			continue;
		if (wrap_diff(k->in_pcr, pcr % PCR_WRAP, PCR_WRAP) <= most)
			return any ? i : 0;
		any = true;
	}
	/* the queue is full of late packets: later ones had no room */
	return any ? run.n : 0;
}

static void drop_late(struct cbr *c)
{
	size_t n = c->places == NULL ? count_late(c) : 0;

	for (size_t i = 0; i < n; i++)
		cbr_drop_first(c);
	c->counters.late += n;
}

void cbr_announce(struct cbr *c)
{
	for (size_t i = 0; i < c->n_clocks; i++) {
		struct cbr_clock *k = &c->clocks[i];

		/* with a jump, a packet in the queue announces a time base */
		if (k->last[0] == TS_SYNC_BYTE && k->n_jumps == 0 &&
		    !cbr_is_gone(k, c->tick))
			cbr_set_begun(c, k, true);
	}
}

void cbr_skip_late(struct cbr *c)
{
	uint64_t far = c->tick + LATE_COUNTED_MS * CBR_TICKS_MS;
	uint64_t most = c->bps * CBR_LATE_MS / 1000 / PACKET_BITS;
	uint64_t due, skipped;

	if (c->now_tick > far)
		c->tick += c->now_tick - far;
	due = cbr_positions_until(c, c->now_tick);
	most = MAX(most, (uint64_t)2 * DATAGRAM_PACKETS);
	/* a skip is announced as a discontinuity, so a few late positions are
	 * not skipped */
	if (due <= most ||
	    (due - most) * PACKET_BITS * 1000 <= c->bps * CBR_FAR_MS)
		return;
	skipped = due - most;
	drop_late(c);
	/* before advance(), because the last sent position shows which clocks
	 * ran */
	cbr_announce(c);
	advance(c, skipped);
	c->counters.skipped += skipped;
}
