/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_places.h"

#include "common/base/alloc.h"
#include "common/base/units.h"

#include <stdlib.h>

enum {
	/* A path that delivered a datagram behind a gap is past the gap.  This
	 * number of places behind the gap is searched for such a datagram. */
	LOOK_MAX = 64,
	/* The longest wait for a repair: at a low rate FEC arrives late. */
	REPAIR_WAIT_US = 3000000,
};

void rtp_places_drop_slot(struct rtp_places *p, uint16_t *slot)
{
	if (*slot != RTP_SLOT_NONE)
		rtp_store_drop(&p->store, *slot);
	*slot = RTP_SLOT_NONE;
}

/* --- two paths --- */

/* The time at which the faster path delivered this datagram, or would have
 * delivered it (us, modulo 2^32). */
static uint32_t earliest_us(const struct rtp_places *p,
			    const struct rtp_place *place)
{
	uint32_t a = place->at_us[0] - p->path[0].lag_us;
	uint32_t b = place->at_us[1] - p->path[1].lag_us;

	if (place->paths == 2)
		return b;
	return place->paths < 2 || (int32_t)(b - a) > 0 ? a : b;
}

bool rtp_places_is_live(const struct rtp_places *p, unsigned path,
			uint64_t now_ns)
{
	const struct rtp_place_path *q = &p->path[path];

	return q->started && now_ns - q->received_ns < RTP_LIVE_MS * MS;
}

/* True if the path has not delivered this sequence yet, but may begin within
 * skew_ms of the begin of the sequence.  False for a path that had datagrams
 * once and is silent now. */
static bool may_start(const struct rtp_places *p, unsigned path,
		      uint64_t now_ns)
{
	const struct rtp_place_path *q = &p->path[path];

	return !q->started && now_ns - p->began_ns < p->cfg.skew_ms * MS &&
	       (q->received_ns == 0 ||
		now_ns - q->received_ns < RTP_LIVE_MS * MS);
}

bool rtp_places_may_deliver(const struct rtp_places *p, unsigned path,
			    uint64_t now_ns)
{
	return may_start(p, path, now_ns) ||
	       rtp_places_is_live(p, path, now_ns);
}

void rtp_places_note_arrival(struct rtp_places *p, uint64_t pos, unsigned path,
			     uint64_t now_ns)
{
	struct rtp_place *place = rtp_place(p, pos);
	struct rtp_place_path *q;

	if (path == RTP_REPAIRED) {
		place->at_us[0] = (uint32_t)(now_ns / 1000);
		return;
	}
	q = &p->path[path];
	if (!q->started)
		*q = (struct rtp_place_path){ .started = true, .first = pos,
					      .high = pos };
	p->counts.reordered += pos < q->high && place->state != PLACE_LOST;
	q->high = MAX(q->high, pos + 1);
	q->received_ns = now_ns;
	place->at_us[path] = (uint32_t)(now_ns / 1000);
	place->paths = (uint8_t)(place->paths | 1U << path);
	p->counts.path[path].received++;
	if (place->paths == 3) {
		p->skew_sum_us += (int32_t)(place->at_us[1] - place->at_us[0]);
		p->skew_n++;
	}
}

static void retire_one(struct rtp_places *p)
{
	const struct rtp_place *place = rtp_place(p, p->retired);
	bool one_lost = false;

	for (unsigned i = 0; i < p->cfg.paths; i++) {
		bool lost = p->path[i].started &&
			    p->path[i].first <= p->retired &&
			    !(place->paths & 1U << i);

		p->counts.path[i].lost += lost;
		one_lost |= lost;
	}
	p->counts.merged += one_lost && place->paths != 0 &&
			    place->state == PLACE_SENT;
	p->retired++;
}

void rtp_places_retire(struct rtp_places *p, uint64_t now_ns)
{
	uint32_t now_us = (uint32_t)(now_ns / 1000);
	uint32_t age_us = 2 * p->cfg.skew_ms * RTP_US_PER_MS;

	while (p->retired < p->next &&
	       (p->cfg.paths < 2 ||
		now_us - earliest_us(p, rtp_place(p, p->retired)) > age_us))
		retire_one(p);
}

/* --- onwards --- */

void rtp_places_pass(struct rtp_places *p, enum rtp_place_state state)
{
	rtp_place(p, p->next)->state = (uint8_t)state;
	p->next++;
	rtp_places_drop_slot(p, &rtp_place(p, p->next - 1 - p->kept)->slot);
	if (p->cfg.paths > 1 && p->next - p->retired > rtp_places_half(p))
		retire_one(p);
	else if (p->cfg.paths == 1)
		p->retired = p->next;
}

static void pass_held(struct rtp_places *p)
{
	const struct rtp_slot *slot =
		rtp_store_get(&p->store, rtp_place(p, p->next)->slot);

	rtp_places_pass(p, PLACE_SENT);
	p->cfg.out(slot->data + slot->head, slot->len, p->cfg.arg);
}

static void lose(struct rtp_places *p, uint64_t now_ns)
{
	rtp_place(p, p->next)->at_us[0] = (uint32_t)(now_ns / 1000);
	p->counts.lost++;
	rtp_places_pass(p, PLACE_LOST);
}

void rtp_places_pass_or_lose(struct rtp_places *p, uint64_t now_ns)
{
	if (p->next == p->high)
		rtp_places_reach(p, p->high);
	if (rtp_place_is_held(rtp_place(p, p->next)))
		pass_held(p);
	else
		lose(p, now_ns);
}

void rtp_places_reach(struct rtp_places *p, uint64_t pos)
{
	for (; p->high <= pos; p->high++) {
		rtp_places_drop_slot(p, &rtp_place(p, p->high)->slot);
		*rtp_place(p, p->high) =
			(struct rtp_place){ .slot = RTP_SLOT_NONE };
	}
}

/* True if the datagram has waited for the configured delay. */
static bool is_due(const struct rtp_places *p, const struct rtp_place *place,
		   uint64_t now_ns)
{
	uint32_t age_us = (uint32_t)(now_ns / 1000) - earliest_us(p, place);

	return (int32_t)age_us >= (int32_t)(p->cfg.delay_ms * RTP_US_PER_MS);
}

void rtp_places_drain(struct rtp_places *p, uint64_t now_ns)
{
	while (p->next < p->high &&
	       rtp_place(p, p->next)->state == PLACE_HELD &&
	       (p->cfg.delay_ms == 0 ||
		is_due(p, rtp_place(p, p->next), now_ns)))
		pass_held(p);
}

/* --- gaps --- */

/* True if the path delivered a datagram behind the gap so long ago that
 * reordering does not explain the gap. */
static bool is_past_gap(const struct rtp_places *p, unsigned path,
			uint64_t now_ns)
{
	uint64_t end = MIN(p->high, p->held_from + LOOK_MAX);

	for (uint64_t pos = p->held_from; pos < end; pos++) {
		const struct rtp_place *place = rtp_place(p, pos);

		if (rtp_place_is_held(place) && place->paths & 1U << path)
			return (uint32_t)(now_ns / 1000) - place->at_us[path] >=
				p->cfg.reorder_ms * RTP_US_PER_MS;
	}
	return p->path[path].high > end;
}

/* True if no path and no repair can fill the gap at next any more. */
static bool is_hopeless(struct rtp_places *p, uint64_t now_ns)
{
	const struct rtp_place *first;
	uint32_t age_us;

	p->held_from = MAX(p->held_from, p->next);
	while (!rtp_place_is_held(rtp_place(p, p->held_from)))
		p->held_from++;
	first = rtp_place(p, p->held_from);
	age_us = (uint32_t)(now_ns / 1000) - earliest_us(p, first);
	if (p->cfg.delay_ms > 0)
		return is_due(p, first, now_ns);
	if (p->high - p->next <= p->ahead && age_us < REPAIR_WAIT_US)
		return false;
	if (p->cfg.paths > 1 && age_us >= p->cfg.skew_ms * RTP_US_PER_MS)
		return true;
	for (unsigned i = 0; i < p->cfg.paths; i++)
		if (may_start(p, i, now_ns) ||
		    (rtp_places_is_live(p, i, now_ns) &&
		     !is_past_gap(p, i, now_ns)))
			return false;
	return true;
}

/* True if the other path cannot deliver the damaged datagram at next any more:
 * the datagram is sent with its damage. */
static bool is_final(const struct rtp_places *p, uint64_t now_ns)
{
	const struct rtp_place *place = rtp_place(p, p->next);
	const unsigned other = !(place->paths >> 1);
	uint32_t age_us = (uint32_t)(now_ns / 1000) - earliest_us(p, place);

	if (p->cfg.delay_ms > 0)
		return is_due(p, place, now_ns);
	return !rtp_places_may_deliver(p, other, now_ns) ||
	       age_us >= p->cfg.skew_ms * RTP_US_PER_MS ||
	       (p->path[other].high > p->next &&
		age_us >= p->cfg.reorder_ms * RTP_US_PER_MS);
}

void rtp_places_close_gaps(struct rtp_places *p, uint64_t now_ns)
{
	rtp_places_drain(p, now_ns);
	while (p->next < p->high) {
		unsigned state = rtp_place(p, p->next)->state;

		if (state == PLACE_DAMAGED && is_final(p, now_ns))
			pass_held(p);
		else if (state != PLACE_EMPTY || !is_hopeless(p, now_ns))
			return;
		while (state == PLACE_EMPTY && p->next < p->held_from)
			lose(p, now_ns);
		rtp_places_drain(p, now_ns);
	}
}
