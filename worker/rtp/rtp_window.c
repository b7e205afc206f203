/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_window.h"

#include "common/base/alloc.h"
#include "worker/rtp/rtp_window_state.h"

#include <stdlib.h>

/* A datagram with a time further off is of another count. */
enum { CLOCK_NEAR = 10 * RTP_CLOCK_HZ };

struct rtp_window *rtp_window_new(const struct rtp_window_config *cfg)
{
	struct rtp_window *w = xcalloc(1, sizeof *w);

	w->cfg = *cfg;
	w->places = xcalloc(cfg->places, sizeof *w->places);
	/* what is older than the first is just not known */
	w->next = w->high = w->retired = cfg->places;
	rtp_store_init(&w->store, cfg->places);
	for (unsigned i = 0; i < RTP_PATHS; i++)
		w->strange[i].slot = RTP_SLOT_NONE;
	for (unsigned i = 0; i < cfg->places; i++)
		w->places[i].slot = RTP_SLOT_NONE;
	return w;
}

void rtp_window_free(struct rtp_window **w)
{
	if (*w != NULL) {
		rtp_store_done(&(*w)->store);
		free((*w)->places);
	}
	free(*w);
	*w = NULL;
}

/* --- what is kept --- */

static uint16_t keep(struct rtp_window *w, const struct rtp_datagram *d)
{
	if (!rtp_store_has_room(&w->store, d->size)) {
		w->cfg.settle(w->cfg.arg);
		rtp_store_settle(&w->store);
	}
	return rtp_store_add(&w->store, d);
}

void rtp_window_turn(struct rtp_window *w, uint64_t now_ns)
{
	rtp_store_settle(&w->store);
	rtp_close_gaps(w, now_ns);
	rtp_retire_old(w, now_ns);
}

bool rtp_window_waits(const struct rtp_window *w)
{
	return w->next < w->high;
}

bool rtp_window_is_live(const struct rtp_window *w, uint64_t now_ns)
{
	return rtp_flow_is_live(&w->flow, now_ns);
}

/* --- feeding --- */

/* In its turn, nothing waits: the way that nearly all take. */
static void take_next(struct rtp_window *w, const struct rtp_datagram *d,
		      unsigned path, uint64_t now_ns)
{
	uint64_t pos = w->next;

	rtp_reach(w, pos);
	rtp_place(w, pos)->timestamp = w->newest = d->timestamp;
	rtp_note_arrival(w, pos, path, now_ns);
	if (w->kept > 0)
		rtp_place(w, pos)->slot = keep(w, d);
	rtp_pass(w, PLACE_GONE);
	w->cfg.out(d->payload, d->len, w->cfg.arg);
}

/* Longer than what can be kept, or there is no room: nothing is waited for. */
static void take_long(struct rtp_window *w, uint64_t pos,
		      const struct rtp_datagram *d, unsigned path,
		      uint64_t now_ns)
{
	w->counts.too_long += d->size > RTP_LONGEST;
	while (w->next < pos) {
		if (w->next == w->high)
			rtp_reach(w, w->high);
		if (rtp_place(w, w->next)->state == PLACE_HELD)
			rtp_pass_held(w);
		else
			rtp_give_up(w, now_ns);
	}
	if (pos >= w->high) {
		rtp_reach(w, pos);
		w->newest = d->timestamp;
	}
	rtp_place(w, pos)->timestamp = d->timestamp;
	rtp_note_arrival(w, pos, path, now_ns);
	rtp_pass(w, PLACE_GONE);
	w->cfg.out(d->payload, d->len, w->cfg.arg);
	rtp_drain(w, now_ns);
}

static void take_early(struct rtp_window *w, uint64_t pos,
		       const struct rtp_datagram *d, unsigned path,
		       uint64_t now_ns)
{
	uint16_t slot = keep(w, d);

	if (slot == RTP_SLOT_NONE) {
		take_long(w, pos, d, path, now_ns);
		return;
	}
	if (pos >= w->high) {
		rtp_reach(w, pos);
		w->newest = d->timestamp;
	}
	rtp_note_arrival(w, pos, path, now_ns);

	struct place *place = rtp_place(w, pos);

	place->slot = slot;
	place->state = PLACE_HELD;
	place->timestamp = d->timestamp;
	w->held_from = MIN(w->held_from, pos);
	w->counts.repaired += path == RTP_REPAIRED;
	rtp_drain(w, now_ns);
	if (w->cfg.reorder_ms == 0)
		rtp_close_gaps(w, now_ns);
}

/* Its place is behind us, or taken. */
static void take_again(struct rtp_window *w, uint64_t pos, unsigned path,
		       uint64_t now_ns)
{
	const struct place *place = rtp_place(w, pos);

	if (pos < w->first) {
		/* what a slower path still has of the time before */
		w->path[path].heard_ns = now_ns;
		return;
	}
	if (place->paths & 1U << path) {
		w->counts.duplicates++;
		return;
	}
	/* the other path was first, or nobody in time, or a repair */
	w->counts.late += place->state == PLACE_LOST || place->paths == 0;
	rtp_note_arrival(w, pos, path, now_ns);
}

static void take(struct rtp_window *w, uint64_t pos,
		 const struct rtp_datagram *d, unsigned path, uint64_t now_ns)
{
	if (pos < w->next) {
		take_again(w, pos, path, now_ns);
		return;
	}
	rtp_move_on(w, pos, now_ns);
	if (pos == w->high && pos == w->next && w->cfg.delay_ms == 0)
		take_next(w, d, path, now_ns);
	else if (pos < w->high && rtp_place(w, pos)->state == PLACE_HELD)
		take_again(w, pos, path, now_ns);
	else
		take_early(w, pos, d, path, now_ns);
}

/* Is it so far behind as one of our count can be? */
static bool is_old_enough(const struct rtp_window *w,
			  const struct rtp_datagram *d, int ahead)
{
	int32_t age = (int32_t)(w->newest - d->timestamp);

	return ahead > -(int)rtp_half(w) &&
	       (ahead >= -RTP_MISORDER_MAX || (age > 0 && age < CLOCK_NEAR));
}

static bool is_of_this_time(const struct rtp_window *w,
			    const struct rtp_datagram *d)
{
	int32_t later = (int32_t)(d->timestamp - w->newest);

	return later > -CLOCK_NEAR && later < CLOCK_NEAR;
}

static bool is_near(const struct rtp_window *w, const struct rtp_datagram *d,
		    int ahead)
{
	return ahead == 0 ||
	       (ahead < (int)MAX((uint64_t)RTP_DROPOUT_MAX, rtp_half(w)) &&
		is_of_this_time(w, d));
}

/* Where it belongs; false for one of another count. */
static bool find_position(const struct rtp_window *w,
			  const struct rtp_datagram *d, uint64_t *ret)
{
	uint16_t expected = (uint16_t)(w->next + w->offset);
	int ahead = (int16_t)(d->seq - expected);
	uint64_t pos = w->next + (uint64_t)(int64_t)ahead;

	if (!w->flow.started || d->ssrc != w->flow.ssrc)
		return false;
	if (ahead < 0 ? !is_old_enough(w, d, ahead) : !is_near(w, d, ahead))
		return false;
	*ret = pos;
	if (pos >= w->high)
		return true;
	/* its place has what was there before this count */
	if (pos < w->first)
		return is_of_this_time(w, d);

	const struct place *p = rtp_place(w, pos);

	/* the same number with another time is another datagram */
	if (p->state == PLACE_HELD || p->state == PLACE_GONE)
		return p->timestamp == d->timestamp;
	return is_of_this_time(w, d);
}

/* Goes over to the count of d. */
static void follow(struct rtp_window *w, const struct rtp_datagram *d,
		   uint64_t now_ns)
{
	uint16_t last = (uint16_t)(w->high - 1 + w->offset);

	while (w->next < w->high)
		if (rtp_place(w, w->next)->state == PLACE_HELD)
			rtp_pass_held(w);
		else
			rtp_give_up(w, now_ns);
	rtp_flow_follow(&w->flow, d, last, now_ns);
	w->offset = (uint16_t)(d->seq - w->next);
	w->first = w->next;
	w->newest = d->timestamp;
	/* the other path is still to come to this count */
	for (unsigned i = 0; i < RTP_PATHS; i++)
		w->path[i].started = false;
}

static void forget_strange(struct rtp_window *w, unsigned path)
{
	w->counts.path[path].stray +=
		w->strange[path].slot != RTP_SLOT_NONE;
	rtp_drop_slot(w, &w->strange[path].slot);
}

static void put_by(struct rtp_window *w, const struct rtp_datagram *d,
		   unsigned path)
{
	forget_strange(w, path);
	w->strange[path] = (struct put_by){ .slot = keep(w, d),
					    .datagram = *d };
}

/* The one put by, and the one that goes on from it. */
static void follow_both(struct rtp_window *w, const struct rtp_datagram *d,
			unsigned path, uint64_t now_ns)
{
	struct put_by before = w->strange[path];

	w->strange[path].slot = RTP_SLOT_NONE;
	if (before.slot == RTP_SLOT_NONE) {
		follow(w, d, now_ns);
		take(w, w->next, d, path, now_ns);
		return;
	}

	const struct rtp_slot *kept = rtp_store_get(&w->store, before.slot);

	before.datagram.data = kept->data;
	before.datagram.payload = kept->data + kept->head;
	follow(w, &before.datagram, now_ns);
	take(w, w->next, &before.datagram, path, now_ns);
	take(w, w->high, d, path, now_ns);
	rtp_drop_slot(w, &before.slot);
}

void rtp_window_feed(struct rtp_window *w, const struct rtp_datagram *d,
		     unsigned path, uint64_t now_ns)
{
	uint64_t pos;

	if (!w->flow.started)
		follow(w, d, now_ns);
	if (find_position(w, d, &pos)) {
		rtp_flow_heard(&w->flow, path, now_ns);
		forget_strange(w, path);
		take(w, pos, d, path, now_ns);
		return;
	}
	switch (rtp_flow_judge(&w->flow, d, path, now_ns)) {
	case RTP_IGNORE:
		w->counts.path[path].stray++;
		break;
	case RTP_PUT_BY:
		put_by(w, d, path);
		break;
	case RTP_FOLLOW:
		follow_both(w, d, path, now_ns);
		break;
	}
}

/* --- repairs --- */

void rtp_window_set_repair(struct rtp_window *w, unsigned kept,
			   unsigned ahead)
{
	/* more than that is somebody else's place */
	kept = MIN(kept, w->cfg.places / 2U - 1);
	for (uint64_t pos = w->next - MIN(w->kept, w->next);
	     pos + kept < w->next; pos++)
		rtp_drop_slot(w, &rtp_place(w, pos)->slot);
	w->kept = kept;
	w->ahead = ahead;
}

enum rtp_presence rtp_window_find(const struct rtp_window *w, uint16_t seq,
				  const struct rtp_slot **ret)
{
	int16_t ahead = (int16_t)(seq - (uint16_t)(w->next + w->offset));
	uint64_t pos = w->next + (uint64_t)(int64_t)ahead;

	if (pos >= w->high)
		return pos - w->next < rtp_half(w) ? RTP_COMING : RTP_PASSED;
	if (ahead < -(int)w->kept || pos < w->first)
		return RTP_PASSED;

	const struct place *p = rtp_place(w, pos);

	if (p->slot != RTP_SLOT_NONE) {
		*ret = rtp_store_get(&w->store, p->slot);
		return RTP_KEPT;
	}
	return ahead < 0 ? RTP_PASSED : RTP_MISSING;
}

void rtp_window_repair(struct rtp_window *w, const struct rtp_datagram *d,
		       uint64_t now_ns)
{
	uint64_t pos;

	if (!find_position(w, d, &pos) || pos < w->next ||
	    pos - w->next >= rtp_half(w))
		return;
	if (pos >= w->high || rtp_place(w, pos)->state == PLACE_EMPTY)
		take_early(w, pos, d, RTP_REPAIRED, now_ns);
}

uint32_t rtp_window_ssrc(const struct rtp_window *w)
{
	return w->flow.ssrc;
}

/* --- the second --- */

void rtp_window_second(struct rtp_window *w, uint64_t now_ns)
{
	if (w->skew_n > 0) {
		int32_t skew = (int32_t)(w->skew_sum_us / w->skew_n);

		w->counts.skew_us = skew;
		w->path[0].lag_us = skew < 0 ? (uint32_t)-skew : 0;
		w->path[1].lag_us = skew > 0 ? (uint32_t)skew : 0;
	}
	w->skew_sum_us = 0;
	w->skew_n = 0;
	for (unsigned i = 0; i < w->cfg.paths; i++)
		w->counts.live[i] = rtp_path_is_live(w, i, now_ns);
	rtp_store_trim(&w->store);
}

void rtp_window_counts(const struct rtp_window *w,
		       struct rtp_window_counts *ret)
{
	*ret = w->counts;
}
