/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_window.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/rtp/rtp_damage.h"
#include "worker/rtp/rtp_places.h"

#include <stdlib.h>

enum {
	/* A time stamp that differs by more (90 kHz) from the newest one
	 * belongs to another sequence. */
	CLOCK_NEAR = 10 * RTP_CLOCK_HZ,
	NUMBERS = UINT16_MAX + 1, /* number of different sequence numbers */
	/* The rate of datagrams in an outage is at most this many times the
	 * rate before the outage. */
	OUTAGE_RATE = 2,
};

/* A datagram of another sequence, which may be the first of the next sequence.
 * Its data and payload are in its slot. */
struct candidate {
	uint16_t slot;
	struct rtp_datagram datagram;
};

/* A position in the sequence; two of them give the rate of datagrams. */
struct mark {
	uint64_t pos;
	uint32_t time; /* RTP time stamp */
};

struct rtp_window {
	struct rtp_flow flow;
	uint16_t offset;  /* sequence number = position + offset */
	uint32_t newest;  /* RTP time stamp of the newest datagram */
	uint64_t first;   /* position at which this sequence begins */
	/* the newest datagrams at the last and the last but one second with
	 * datagrams */
	struct mark rate[2];
	struct candidate candidate[RTP_PATHS];
	struct rtp_places places;
};

struct rtp_window *rtp_window_new(const struct rtp_window_config *cfg)
{
	struct rtp_window *w = xcalloc(1, sizeof *w);
	struct rtp_places *p = &w->places;

	p->cfg = *cfg;
	p->places = xcalloc(cfg->places, sizeof *p->places);
	/* the positions before the first datagram exist, and are empty */
	p->next = p->high = p->retired = cfg->places;
	rtp_store_init(&p->store, cfg->places);
	for (unsigned i = 0; i < cfg->places; i++)
		p->places[i].slot = RTP_SLOT_NONE;
	for (unsigned i = 0; i < RTP_PATHS; i++)
		w->candidate[i].slot = RTP_SLOT_NONE;
	return w;
}

void rtp_window_free(struct rtp_window **w)
{
	if (*w != NULL) {
		rtp_store_done(&(*w)->places.store);
		free((*w)->places.places);
	}
	free(*w);
	*w = NULL;
}

static uint16_t keep(struct rtp_places *p, const struct rtp_datagram *d)
{
	if (!rtp_store_has_room(&p->store, d->size)) {
		p->cfg.settle(p->cfg.arg);
		rtp_store_settle(&p->store);
	}
	return rtp_store_add(&p->store, d);
}

void rtp_window_turn(struct rtp_window *w, uint64_t now_ns)
{
	rtp_store_settle(&w->places.store);
	rtp_places_close_gaps(&w->places, now_ns);
	rtp_places_retire(&w->places, now_ns);
}

bool rtp_window_waits(const struct rtp_window *w)
{
	return w->places.next < w->places.high;
}

bool rtp_window_is_live(const struct rtp_window *w, uint64_t now_ns)
{
	return rtp_flow_is_live(&w->flow, now_ns);
}

/* --- feeding --- */

/* Sends a datagram at once that cannot be kept, because it is too long or no
 * slot is free.  Missing datagrams before it count as lost. */
static void take_long(struct rtp_window *w, uint64_t pos,
		      const struct rtp_datagram *d, unsigned path,
		      uint64_t now_ns)
{
	struct rtp_places *p = &w->places;

	p->counts.too_long += d->size > RTP_LONGEST;
	while (p->next < pos)
		rtp_places_pass_or_lose(p, now_ns);
	if (pos >= p->high) {
		rtp_places_reach(p, pos);
		w->newest = d->timestamp;
	}
	rtp_place(p, pos)->timestamp = d->timestamp;
	rtp_places_note_arrival(p, pos, path, now_ns);
	rtp_places_pass(p, PLACE_SENT);
	p->cfg.out(d->payload, d->len, p->cfg.arg);
	rtp_places_drain(p, now_ns);
}

/* Is the datagram damaged, and may the other path deliver it without damage? */
static bool may_be_replaced(const struct rtp_places *p,
			    const struct rtp_datagram *d, unsigned path,
			    uint64_t now_ns)
{
	return p->cfg.paths > 1 && path != RTP_REPAIRED &&
	       (p->cfg.delay_ms > 0 ||
		rtp_places_may_deliver(p, !path, now_ns)) &&
	       rtp_damage_is_in(d->payload, d->len);
}

static void take_early(struct rtp_window *w, uint64_t pos,
		       const struct rtp_datagram *d, unsigned path,
		       uint64_t now_ns)
{
	struct rtp_places *p = &w->places;
	uint16_t slot = keep(p, d);
	struct rtp_place *place;

	if (slot == RTP_SLOT_NONE) {
		take_long(w, pos, d, path, now_ns);
		return;
	}
	if (pos >= p->high) {
		rtp_places_reach(p, pos);
		w->newest = d->timestamp;
	}
	rtp_places_note_arrival(p, pos, path, now_ns);
	place = rtp_place(p, pos);
	place->slot = slot;
	place->state = may_be_replaced(p, d, path, now_ns) ? PLACE_DAMAGED
							     : PLACE_HELD;
	place->timestamp = d->timestamp;
	p->held_from = MIN(p->held_from, pos);
	p->counts.repaired += path == RTP_REPAIRED;
	rtp_places_drain(p, now_ns);
	if (p->cfg.reorder_ms == 0)
		rtp_places_close_gaps(p, now_ns);
}

/* Counts a datagram whose place has passed or is held: a duplicate of its path,
 * the copy of the other path, or a late datagram. */
static void take_again(struct rtp_window *w, uint64_t pos, unsigned path,
		       uint64_t now_ns)
{
	struct rtp_places *p = &w->places;
	const struct rtp_place *place = rtp_place(p, pos);

	if (pos < w->first) {
		/* the slower path still delivers the sequence before */
		p->path[path].received_ns = now_ns;
	} else if (place->paths & 1U << path) {
		p->counts.duplicates++;
	} else {
		/* if no path had delivered it, it was lost or repaired */
		p->counts.late += place->paths == 0;
		rtp_places_note_arrival(p, pos, path, now_ns);
	}
}

/* Takes the copy of a damaged datagram: the packets of the copy replace the
 * damaged ones, and the datagram counts as lost on the path that damaged it. */
static void take_copy(struct rtp_window *w, uint64_t pos,
		      const struct rtp_datagram *d, unsigned path,
		      uint64_t now_ns)
{
	struct rtp_places *p = &w->places;
	struct rtp_place *place = rtp_place(p, pos);
	const size_t len = rtp_store_get(&p->store, place->slot)->len;

	if (place->paths & 1U << path) {
		p->counts.duplicates++;
		return;
	}
	rtp_places_note_arrival(p, pos, path, now_ns);
	if (d->len == len &&
	    rtp_damage_replace(rtp_store_payload(&p->store, place->slot),
			       d->payload, len) > 0)
		place->paths = (uint8_t)(1U << path);
	place->state = PLACE_HELD;
	rtp_places_drain(p, now_ns);
}

static void take(struct rtp_window *w, uint64_t pos,
		 const struct rtp_datagram *d, unsigned path, uint64_t now_ns)
{
	struct rtp_places *p = &w->places;

	if (pos < p->next) {
		take_again(w, pos, path, now_ns);
		return;
	}
	while (pos - p->next >= rtp_places_half(p))
		rtp_places_pass_or_lose(p, now_ns);
	if (pos == p->high && pos == p->next && p->cfg.delay_ms == 0 &&
	    !may_be_replaced(p, d, path, now_ns)) {
		/* the usual case: in order, and no datagram waits */
		rtp_places_reach(p, pos);
		rtp_place(p, pos)->timestamp = w->newest = d->timestamp;
		rtp_places_note_arrival(p, pos, path, now_ns);
		if (p->kept > 0)
			rtp_place(p, pos)->slot = keep(p, d);
		rtp_places_pass(p, PLACE_SENT);
		p->cfg.out(d->payload, d->len, p->cfg.arg);
		return;
	}
	if (pos < p->high && rtp_place(p, pos)->state == PLACE_HELD)
		take_again(w, pos, path, now_ns);
	else if (pos < p->high && rtp_place(p, pos)->state == PLACE_DAMAGED)
		take_copy(w, pos, d, path, now_ns);
	else
		take_early(w, pos, d, path, now_ns);
}

static bool is_of_this_time(const struct rtp_window *w,
			    const struct rtp_datagram *d)
{
	int32_t later = (int32_t)(d->timestamp - w->newest);

	return later > -CLOCK_NEAR && later < CLOCK_NEAR;
}

/* Writes the position of a datagram.  False: it belongs to another sequence. */
static bool find_position(const struct rtp_window *w,
			  const struct rtp_datagram *d, uint64_t *ret)
{
	const struct rtp_places *p = &w->places;
	uint16_t expected = (uint16_t)(p->next + w->offset);
	int ahead = (int16_t)(d->seq - expected);
	int32_t age = (int32_t)(w->newest - d->timestamp);
	int most = (int)MAX((uint64_t)RTP_DROPOUT_MAX, rtp_places_half(p));
	uint64_t pos = p->next + (uint64_t)(int64_t)ahead;
	const struct rtp_place *place;

	if (!w->flow.started || d->ssrc != w->flow.ssrc)
		return false;
	if (ahead <= -(int)rtp_places_half(p) ||
	    (ahead < -RTP_MISORDER_MAX && (age <= 0 || age >= CLOCK_NEAR)))
		return false;
	if (ahead > 0 && (ahead >= most || !is_of_this_time(w, d)))
		return false;
	*ret = pos;
	if (pos >= p->high)
		return true;
	/* places before `first' belong to the sequence before */
	place = rtp_place(p, pos);
	if (pos >= w->first &&
	    (rtp_place_is_held(place) || place->state == PLACE_SENT))
		/* a datagram with the same number but another time stamp is of
		 * another sequence */
		return place->timestamp == d->timestamp;
	return is_of_this_time(w, d);
}

/*
 * Returns the number of datagrams that are missing in front of d; 0: d belongs
 * to another sequence.  The sequence numbers give this number up to a multiple
 * of 65,536.  The rate before the outage and the RTP time stamps give the
 * multiple.  d continues the sequence only if its time stamp advanced by about
 * the time that passed, and if the rate in the outage is at most OUTAGE_RATE
 * times the rate before.
 */
static uint64_t count_outage(const struct rtp_window *w,
			     const struct rtp_datagram *d, uint64_t now_ns)
{
	const struct rtp_places *p = &w->places;
	int32_t passed = (int32_t)(d->timestamp - w->newest);
	uint64_t n = p->high - w->rate[1].pos;
	uint32_t took = w->newest - w->rate[1].time;
	uint64_t gap = (uint16_t)(d->seq - (uint16_t)(p->high + w->offset));
	uint64_t expected;
	int64_t silent = (int64_t)((now_ns - w->flow.received_ns) / MS) *
			 (RTP_CLOCK_HZ / 1000);

	/* gap 0: the number is the next one, so the sender has paused */
	if (!w->flow.started || d->ssrc != w->flow.ssrc || gap == 0 ||
	    passed <= 0 || llabs(passed - silent) >= CLOCK_NEAR ||
	    took == 0 || took > INT32_MAX || n > UINT32_MAX)
		return 0;
	expected = (uint64_t)passed * n / took;
	if (expected > gap)
		gap += (expected - gap + NUMBERS / 2) / NUMBERS * NUMBERS;
	return gap <= OUTAGE_RATE * expected ? gap : 0;
}

/* Switches to the sequence of d, or continues behind an outage. */
static void follow(struct rtp_window *w, const struct rtp_datagram *d,
		   uint64_t now_ns)
{
	struct rtp_places *p = &w->places;
	uint16_t last = (uint16_t)(p->high - 1 + w->offset);
	uint64_t lost = count_outage(w, d, now_ns);

	while (p->next < p->high)
		rtp_places_pass_or_lose(p, now_ns);
	rtp_flow_follow(&w->flow, d, last, now_ns);
	if (lost > 0) {
		/* no path delivered these datagrams */
		p->counts.lost += lost;
		for (unsigned i = 0; i < p->cfg.paths; i++)
			if (p->path[i].started && p->cfg.paths > 1)
				p->counts.path[i].lost += lost;
		for (size_t i = 0; i < ARRAY_LEN(w->rate); i++)
			w->rate[i].time += d->timestamp - w->newest;
		/* the earlier numbers belong to the same sequence, so they are
		 * not ignored */
		w->flow.left.set = false;
	} else {
		w->rate[0] = w->rate[1] = (struct mark){ p->next,
							 d->timestamp };
	}
	w->offset = (uint16_t)(d->seq - p->next);
	w->first = p->next;
	w->newest = d->timestamp;
	p->began_ns = now_ns;
	/* no path has started in this sequence yet */
	for (unsigned i = 0; i < RTP_PATHS; i++)
		p->path[i].started = false;
}

static void drop_candidate(struct rtp_window *w, unsigned path)
{
	struct candidate *c = &w->candidate[path];

	w->places.counts.path[path].stray += c->slot != RTP_SLOT_NONE;
	rtp_places_drop_slot(&w->places, &c->slot);
}

void rtp_window_feed(struct rtp_window *w, const struct rtp_datagram *d,
		     unsigned path, uint64_t now_ns)
{
	struct rtp_places *p = &w->places;
	const struct rtp_slot *kept;
	struct candidate before;
	uint64_t pos;

	if (!w->flow.started)
		follow(w, d, now_ns);
	if (find_position(w, d, &pos)) {
		rtp_flow_note(&w->flow, path, now_ns);
		drop_candidate(w, path);
		take(w, pos, d, path, now_ns);
		return;
	}
	switch (rtp_flow_judge(&w->flow, d, path, now_ns)) {
	case RTP_IGNORE:
		p->counts.path[path].stray++;
		break;
	case RTP_CANDIDATE:
		drop_candidate(w, path);
		w->candidate[path] = (struct candidate){
			.slot = keep(p, d), .datagram = *d };
		break;
	case RTP_FOLLOW:
		/* d continues the candidate, if that was kept */
		before = w->candidate[path];
		w->candidate[path].slot = RTP_SLOT_NONE;
		if (before.slot == RTP_SLOT_NONE) {
			follow(w, d, now_ns);
			take(w, p->next, d, path, now_ns);
			break;
		}
		kept = rtp_store_get(&p->store, before.slot);
		before.datagram.data = kept->data;
		before.datagram.payload = kept->data + kept->head;
		follow(w, &before.datagram, now_ns);
		take(w, p->next, &before.datagram, path, now_ns);
		take(w, p->high, d, path, now_ns);
		rtp_places_drop_slot(p, &before.slot);
		break;
	}
}

/* --- repairs --- */

void rtp_window_set_repair(struct rtp_window *w, unsigned kept,
			   unsigned ahead)
{
	struct rtp_places *p = &w->places;

	/* half of the places is reserved for datagrams that wait */
	kept = MIN(kept, p->cfg.places / 2U - 1);
	for (uint64_t pos = p->next - MIN(p->kept, p->next);
	     pos + kept < p->next; pos++)
		rtp_places_drop_slot(p, &rtp_place(p, pos)->slot);
	p->kept = kept;
	p->ahead = ahead;
}

enum rtp_presence rtp_window_find(const struct rtp_window *w, uint16_t seq,
				  const struct rtp_slot **ret)
{
	const struct rtp_places *p = &w->places;
	int16_t ahead = (int16_t)(seq - (uint16_t)(p->next + w->offset));
	uint64_t pos = p->next + (uint64_t)(int64_t)ahead;
	const struct rtp_place *place;

	if (pos >= p->high)
		return pos - p->next < rtp_places_half(p) ? RTP_COMING
							  : RTP_PASSED;
	if (ahead < -(int)p->kept || pos < w->first)
		return RTP_PASSED;
	place = rtp_place(p, pos);
	if (place->slot != RTP_SLOT_NONE) {
		*ret = rtp_store_get(&p->store, place->slot);
		return RTP_KEPT;
	}
	return ahead < 0 ? RTP_PASSED : RTP_MISSING;
}

void rtp_window_repair(struct rtp_window *w, const struct rtp_datagram *d,
		       uint64_t now_ns)
{
	const struct rtp_places *p = &w->places;
	uint64_t pos;

	if (!find_position(w, d, &pos) || pos < p->next ||
	    pos - p->next >= rtp_places_half(p))
		return;
	if (pos >= p->high || rtp_place(p, pos)->state == PLACE_EMPTY)
		take_early(w, pos, d, RTP_REPAIRED, now_ns);
}

uint32_t rtp_window_ssrc(const struct rtp_window *w)
{
	return w->flow.ssrc;
}

void rtp_window_every_second(struct rtp_window *w, uint64_t now_ns)
{
	struct rtp_places *p = &w->places;

	if (p->skew_n > 0) {
		int32_t skew = (int32_t)(p->skew_sum_us / p->skew_n);

		p->counts.skew_us = skew;
		p->path[0].lag_us = skew < 0 ? (uint32_t)-skew : 0;
		p->path[1].lag_us = skew > 0 ? (uint32_t)skew : 0;
	}
	p->skew_sum_us = 0;
	p->skew_n = 0;
	if (w->rate[0].pos != p->high) {
		w->rate[1] = w->rate[0];
		w->rate[0] = (struct mark){ p->high, w->newest };
	}
	for (unsigned i = 0; i < p->cfg.paths; i++)
		p->counts.live[i] = rtp_places_is_live(p, i, now_ns);
	rtp_store_trim(&p->store);
}

void rtp_window_counts(const struct rtp_window *w,
		       struct rtp_window_counts *ret)
{
	*ret = w->places.counts;
}
