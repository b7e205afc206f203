/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/rtp/rtp_window_state.h"

enum {
	/* Places behind a gap in which a path may show that it is past it. */
	LOOK_MAX = 64,
	/* What repairs may come late at a low rate, but not that late. */
	REPAIR_WAIT_US = 3000000,
};

#define LIVE_NS (RTP_LIVE_MS * MS)

void rtp_drop_slot(struct rtp_window *w, uint16_t *slot)
{
	if (*slot != RTP_SLOT_NONE)
		rtp_store_drop(&w->store, *slot);
	*slot = RTP_SLOT_NONE;
}

/* --- two paths --- */

static uint32_t least_at(const struct rtp_window *w, const struct place *p)
{
	uint32_t a = p->at_us[0] - w->path[0].lag_us;
	uint32_t b = p->at_us[1] - w->path[1].lag_us;

	if (p->paths == 2)
		return b;
	return p->paths < 2 || (int32_t)(b - a) > 0 ? a : b;
}

bool rtp_path_is_live(const struct rtp_window *w, unsigned path,
		      uint64_t now_ns)
{
	const struct path *p = &w->path[path];

	return p->started && now_ns - p->heard_ns < LIVE_NS;
}

void rtp_note_arrival(struct rtp_window *w, uint64_t pos, unsigned path,
			 uint64_t now_ns)
{
	struct place *place = rtp_place(w, pos);

	if (path == RTP_REPAIRED) {
		place->at_us[0] = (uint32_t)(now_ns / 1000);
		return;
	}

	struct path *p = &w->path[path];

	if (!p->started)
		*p = (struct path){ .started = true, .first = pos,
				    .high = pos };
	w->counts.reordered += pos < p->high && place->state != PLACE_LOST;
	p->high = MAX(p->high, pos + 1);
	p->heard_ns = now_ns;
	place->at_us[path] = (uint32_t)(now_ns / 1000);
	place->paths = (uint8_t)(place->paths | 1U << path);
	w->counts.path[path].received++;
	if (place->paths == 3) {
		w->skew_sum_us += (int32_t)(place->at_us[1] - place->at_us[0]);
		w->skew_n++;
	}
}

/* Which path brought this position is settled. */
static void retire(struct rtp_window *w)
{
	const struct place *p = rtp_place(w, w->retired);
	bool one_lost = false;

	for (unsigned i = 0; i < w->cfg.paths; i++) {
		bool lost = w->path[i].started &&
			    w->path[i].first <= w->retired &&
			    !(p->paths & 1U << i);

		w->counts.path[i].lost += lost;
		one_lost |= lost;
	}
	w->counts.merged += one_lost && p->paths != 0 &&
			    p->state == PLACE_GONE;
	w->retired++;
}

void rtp_retire_old(struct rtp_window *w, uint64_t now_ns)
{
	uint32_t now_us = (uint32_t)(now_ns / 1000);
	uint32_t age_us = 2 * w->cfg.skew_ms * RTP_US_PER_MS;

	while (w->retired < w->next &&
	       (w->cfg.paths < 2 ||
		now_us - least_at(w, rtp_place(w, w->retired)) > age_us))
		retire(w);
}

/* --- onwards --- */

void rtp_pass(struct rtp_window *w, enum place_state state)
{
	rtp_place(w, w->next)->state = (uint8_t)state;
	w->next++;
	rtp_drop_slot(w, &rtp_place(w, w->next - 1 - w->kept)->slot);
	if (w->cfg.paths > 1 && w->next - w->retired > rtp_half(w))
		retire(w);
	else if (w->cfg.paths == 1)
		w->retired = w->next;
}

void rtp_pass_held(struct rtp_window *w)
{
	const struct rtp_slot *slot =
		rtp_store_get(&w->store, rtp_place(w, w->next)->slot);

	rtp_pass(w, PLACE_GONE);
	w->cfg.out(slot->data + slot->head, slot->len, w->cfg.arg);
}

void rtp_give_up(struct rtp_window *w, uint64_t now_ns)
{
	rtp_place(w, w->next)->at_us[0] = (uint32_t)(now_ns / 1000);
	w->counts.lost++;
	rtp_pass(w, PLACE_LOST);
}

void rtp_reach(struct rtp_window *w, uint64_t pos)
{
	for (; w->high <= pos; w->high++) {
		rtp_drop_slot(w, &rtp_place(w, w->high)->slot);
		*rtp_place(w, w->high) =
			(struct place){ .slot = RTP_SLOT_NONE };
	}
}

static bool is_due(const struct rtp_window *w, const struct place *p,
		   uint64_t now_ns)
{
	uint32_t age_us = (uint32_t)(now_ns / 1000) - least_at(w, p);

	return (int32_t)age_us >= (int32_t)(w->cfg.delay_ms * RTP_US_PER_MS);
}

/* What the place at next is; PLACE_GONE when nothing waits. */
static enum place_state state_of_next(const struct rtp_window *w)
{
	if (w->next == w->high)
		return PLACE_GONE;
	return (enum place_state)rtp_place(w, w->next)->state;
}

void rtp_drain(struct rtp_window *w, uint64_t now_ns)
{
	while (state_of_next(w) == PLACE_HELD &&
	       (w->cfg.delay_ms == 0 ||
		is_due(w, rtp_place(w, w->next), now_ns)))
		rtp_pass_held(w);
}

void rtp_move_on(struct rtp_window *w, uint64_t pos, uint64_t now_ns)
{
	while (pos - w->next >= rtp_half(w)) {
		if (w->next == w->high)
			rtp_reach(w, w->high);
		if (state_of_next(w) == PLACE_HELD)
			rtp_pass_held(w);
		else
			rtp_give_up(w, now_ns);
	}
}

/* --- gaps --- */

static const struct place *first_held(struct rtp_window *w)
{
	w->held_from = MAX(w->held_from, w->next);
	while (rtp_place(w, w->held_from)->state != PLACE_HELD)
		w->held_from++;
	return rtp_place(w, w->held_from);
}

/* Has the path brought something behind the gap, long enough ago? */
static bool is_past_gap(const struct rtp_window *w, unsigned path,
			uint64_t now_ns)
{
	uint64_t end = MIN(w->high, w->held_from + LOOK_MAX);

	for (uint64_t pos = w->held_from; pos < end; pos++) {
		const struct place *p = rtp_place(w, pos);

		if (p->state == PLACE_HELD && p->paths & 1U << path)
			return (uint32_t)(now_ns / 1000) - p->at_us[path] >=
				w->cfg.reorder_ms * RTP_US_PER_MS;
	}
	return w->path[path].high > end;
}

/* Nothing can fill the gap at next any more. */
static bool is_hopeless(struct rtp_window *w, uint64_t now_ns)
{
	const struct place *first = first_held(w);
	uint32_t age_us = (uint32_t)(now_ns / 1000) - least_at(w, first);

	if (w->cfg.delay_ms > 0)
		return is_due(w, first, now_ns);
	if (w->high - w->next <= w->ahead && age_us < REPAIR_WAIT_US)
		return false;
	if (w->cfg.paths > 1 && age_us >= w->cfg.skew_ms * RTP_US_PER_MS)
		return true;
	for (unsigned i = 0; i < w->cfg.paths; i++)
		if (rtp_path_is_live(w, i, now_ns) &&
		    !is_past_gap(w, i, now_ns))
			return false;
	return true;
}

void rtp_close_gaps(struct rtp_window *w, uint64_t now_ns)
{
	rtp_drain(w, now_ns);
	while (state_of_next(w) == PLACE_EMPTY && is_hopeless(w, now_ns)) {
		while (w->next < w->held_from)
			rtp_give_up(w, now_ns);
		rtp_drain(w, now_ns);
	}
}
