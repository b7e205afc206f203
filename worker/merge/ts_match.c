/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/merge/ts_match.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>

enum {
	/* Packets behind a match that are compared, too. */
	CONTEXT = 8,
	/* Bounds of reordering: packets of one PID, and time. */
	REORDER_CC = 7,
	REORDER_MS = 100,
	/* Jitter of a path, usual and at most. */
	JITTER_MS = 5,
	JITTER_MAX_MS = 20,
};

/* Returns how far the continuity counter of the packet is ahead of the expected
 * one, modulo 16.  A packet without payload repeats the counter of the packet
 * before it. */
static unsigned distance(const struct ts_copies *c, const uint8_t *packet)
{
	uint8_t cc = c->cc[ts_pid(packet)];

	if (cc == TS_CC_UNKNOWN)
		return 0;
	return (ts_cc(packet) - cc - (ts_has_payload(packet) ? 1U : 0)) & 0x0f;
}

bool ts_is_next(const struct ts_copies *c, const uint8_t *packet)
{
	return distance(c, packet) == 0;
}

enum { SENT_TIME_MASK = 0x1fffffff };

static uint32_t sent_age_ms(const struct ts_sent *s, uint32_t now_ms)
{
	return s->at_ms == 0 ? SENT_TIME_MASK
			     : (now_ms - s->at_ms) & SENT_TIME_MASK;
}

static size_t sent_place(uint64_t hash)
{
	return hash % (TS_SENT / TS_SENT_PLACES) * TS_SENT_PLACES;
}

static const struct ts_sent *find_sent(const struct ts_copies *c,
				       uint64_t hash)
{
	const struct ts_sent *set = &c->sent[sent_place(hash)];

	for (size_t i = 0; i < TS_SENT_PLACES; i++)
		if (set[i].hash == hash >> 32 && set[i].at_ms != 0)
			return &set[i];
	return NULL;
}

void ts_note_sent(struct ts_copies *c, uint64_t hash, unsigned path)
{
	const struct ts_sent *was = find_sent(c, hash);
	struct ts_sent *set = &c->sent[sent_place(hash)], *to = set;

	if (was != NULL)
		to = set + (was - set);
	else
		for (size_t i = 1; i < TS_SENT_PLACES; i++)
			if (sent_age_ms(&set[i], c->now_ms) >
			    sent_age_ms(to, c->now_ms))
				to = &set[i];
	*to = (struct ts_sent){ .hash = (uint32_t)(hash >> 32),
				.at_ms = c->now_ms & SENT_TIME_MASK,
				.again = was != NULL,
				.path = path & 3 };
}

bool ts_can_repeat(const struct ts_copies *c, const struct ts_queue *q)
{
	const uint8_t *packet = ts_queue_packet(q, 0);
	const struct ts_sent *s = find_sent(c, ts_queue_hash(q, 0));

	return ts_pid(packet) < SI_PIDS_END || (s != NULL && s->again) ||
	       ts_is_filler(packet);
}

/* True if the queue has, from place `from' on, an intact packet with the PID
 * and the counter of this packet.  The search ends where the counter can have
 * wrapped. */
static bool has_intact(const struct ts_queue *q, size_t from,
		       const uint8_t *packet)
{
	size_t end = MIN(q->n, (size_t)TS_MERGE_REORDER), same = 0;

	for (size_t i = from; i < end && same <= REORDER_CC; i++) {
		const uint8_t *copy = ts_queue_packet(q, i);

		if (ts_pid(copy) != ts_pid(packet) ||
		    ts_queue_mark(q, i) != TS_SINGLE)
			continue;
		if (ts_cc(copy) == ts_cc(packet))
			return true;
		same++;
	}
	return false;
}

bool ts_is_replaced(const struct ts_copies *c, unsigned path)
{
	const struct ts_queue *mine = &c->path[path].queue;
	const struct ts_queue *other = &c->path[!path].queue;
	const uint8_t *packet = ts_queue_packet(mine, 0);

	if (ts_queue_mark(mine, 0) != TS_DAMAGED || other->n == 0)
		return false;
	return c->cc[ts_pid(packet)] == TS_CC_UNKNOWN ||
	       !ts_is_next(c, packet) || has_intact(other, 0, packet) ||
	       /* or its PID is wrong: this path has the packet */
	       has_intact(mine, 1, packet);
}

bool ts_is_late(const struct ts_copies *c, unsigned path)
{
	const struct ts_queue *q = &c->path[path].queue;
	const uint8_t *packet = ts_queue_packet(q, 0);
	const struct ts_sent *s = find_sent(c, ts_queue_hash(q, 0));
	uint32_t age_ms;

	if (s == NULL || s->path == path)
		return false;
	age_ms = sent_age_ms(s, c->now_ms);
	if (!ts_can_repeat(c, q))
		return s->path != TS_SENT_BOTH && age_ms < 2 * c->delay_ns / MS;
	return distance(c, packet) > 0x0f - REORDER_CC - 1 &&
	       age_ms < REORDER_MS;
}

/* True if one of the packets behind the first of queue a is also behind place
 * `at' in queue b, so that the match there is right.  Filler counts only when
 * all these packets are filler. */
static bool goes_on(const struct ts_queue *a, const struct ts_queue *b,
		    size_t at)
{
	bool all_filler = true, found = false;

	for (size_t i = 1; i <= CONTEXT && i < a->n; i++) {
		bool filler = ts_is_filler(ts_queue_packet(a, i));
		size_t k = at + 1, end = MIN(b->n, at + CONTEXT + 1);

		if (ts_is_null_at(a, i))
			continue;
		while (k < end && ts_queue_hash(b, k) != ts_queue_hash(a, i))
			k++;
		if (k >= end)
			all_filler &= filler;
		else if (!filler)
			return true;
		else
			found = true;
	}
	return all_filler && found;
}

/* As goes_on() for filler, which may be followed by filler anywhere: true if
 * one of the next packets of a that are no filler is also behind place `at' in
 * b, or if no such packet has arrived yet. */
static bool leads_on(const struct ts_queue *a, const struct ts_queue *b,
		     size_t at)
{
	size_t end = MIN(a->n, (size_t)TS_MERGE_REORDER), looked = 0;

	for (size_t i = 1; i < end && looked < CONTEXT; i++) {
		if (ts_is_null_at(a, i) || ts_queue_mark(a, i) != TS_SINGLE ||
		    ts_is_filler(ts_queue_packet(a, i)))
			continue;
		if (ts_queue_find(b, at + 1, ts_queue_hash(a, i)) < b->n)
			return true;
		looked++;
	}
	return looked == 0;
}

/* True if the first packet of queue a is the next of its PID, while b has other
 * packets of that PID before `at'.  The packet at `at' is then a different
 * packet with the same bytes. */
static bool is_overdue(const struct ts_copies *c, const struct ts_queue *a,
		       const struct ts_queue *b, size_t at)
{
	const uint8_t *packet = ts_queue_packet(a, 0);

	if (!ts_is_mixed(c) || !ts_is_next(c, packet))
		return false;
	for (size_t i = 0; i < MIN(at, b->n); i++)
		if (ts_pid(ts_queue_packet(b, i)) == ts_pid(packet) &&
		    ts_has_payload(ts_queue_packet(b, i)) &&
		    ts_queue_mark(b, i) != TS_DUPLICATE)
			return true;
	return false;
}

size_t ts_match(const struct ts_copies *c, const struct ts_path *a,
		const struct ts_path *b)
{
	const struct ts_queue *qa = &a->queue, *qb = &b->queue;
	const uint8_t *packet = ts_queue_packet(qa, 0);
	uint64_t hash = ts_queue_hash(qa, 0);
	size_t at = ts_queue_find(qb, 0, hash);
	bool unique, again;

	if (at == 0 || at == qb->n)
		return at;
	/* a duplicate, a repetition, or too late */
	if (ts_queue_mark(qa, 0) != TS_SINGLE ||
	    (!ts_is_next(c, packet) && ts_is_late(c, (unsigned)(a - c->path))))
		return qb->n;
	unique = ts_queue_is_single(qa, hash) &&
		 ts_queue_is_single(qb, hash) && c->pes[ts_pid(packet)] &&
		 !ts_is_filler(packet);
	again = ts_can_repeat(c, qa) || !c->pes[ts_pid(packet)];
	while (!unique && at < qb->n) {
		int64_t off = (int64_t)(ts_due_ns(c, a, 0) -
					ts_due_ns(c, b, at));
		/* copies of one packet are due at about the same time */
		bool timely = !again || !ts_is_mixed(c) ||
			      llabs(off) < (int64_t)(JITTER_MAX_MS * MS);

		if (timely && goes_on(qa, qb, at))
			break;
		at = ts_queue_find(qb, at + 1, hash);
	}
	if (at < qb->n && ts_is_filler(packet) && !leads_on(qa, qb, at))
		return qb->n;
	return again && is_overdue(c, qa, qb, at) ? qb->n : at;
}

/* The place of the next packet of the PID from `from' on; q->n: none is
 * near. */
static size_t find_pid(const struct ts_queue *q, size_t from, uint16_t pid)
{
	size_t end = MIN(q->n, from + TS_MERGE_REORDER);

	for (size_t i = from; i < end; i++)
		if (ts_pid(ts_queue_packet(q, i)) == pid)
			return i;
	return q->n;
}

/* True if the counter at `at' continues the one at `last'.  A repeated packet
 * keeps its counter. */
static bool follows(const struct ts_queue *q, size_t at, size_t last)
{
	const uint8_t *packet = ts_queue_packet(q, at);
	bool counts = ts_has_payload(packet) &&
		      ts_queue_mark(q, at) != TS_REPEATED;

	return ((ts_cc(packet) - ts_cc(ts_queue_packet(q, last)) - counts) &
		0x0f) == 0;
}

/* True if the PID continues from place `at' to the counter of this packet.
 * Then the counter wrapped, and no packet was overtaken. */
static bool wraps_to(const struct ts_queue *q, size_t at,
		     const uint8_t *packet)
{
	size_t next = find_pid(q, at + 1, ts_pid(packet));

	while (next < q->n && follows(q, next, at)) {
		at = next;
		if (ts_cc(ts_queue_packet(q, at)) == ts_cc(packet))
			return true;
		next = find_pid(q, at + 1, ts_pid(packet));
	}
	return false;
}

/* The place of the packet of the same PID before `at'; q->n: none is near. */
static size_t find_before(const struct ts_queue *q, size_t at)
{
	uint16_t pid = ts_pid(ts_queue_packet(q, at));
	size_t end = at - MIN(at, (size_t)TS_MERGE_REORDER);

	for (size_t i = at; i > end; i--)
		if (ts_pid(ts_queue_packet(q, i - 1)) == pid)
			return i - 1;
	return q->n;
}

/* True if the PID continues without a gap up to `at' from a later counter.
 * Then the counter wrapped before `at'. */
static bool has_wrapped(const struct ts_copies *c, const struct ts_queue *q,
			size_t at)
{
	size_t last = find_before(q, at);

	while (last < q->n && follows(q, at, last)) {
		if (distance(c, ts_queue_packet(q, last)) >
		    distance(c, ts_queue_packet(q, at)))
			return find_sent(c, ts_queue_hash(q, last)) == NULL;
		at = last;
		last = find_before(q, at);
	}
	return false;
}

/* The place of the packet that the first packet of the queue overtook; 0: it
 * overtook none. */
static size_t find_overtaken(const struct ts_copies *c,
			     const struct ts_queue *q)
{
	const uint8_t *first = ts_queue_packet(q, 0);
	unsigned best = distance(c, first), same = 0;
	uint64_t until_ns = ts_queue_at_ns(q, 0) + REORDER_MS * MS;
	size_t ret = 0, i = 0, last = 0;
	bool stepped = false;

	if (best == 0 || best > REORDER_CC || ts_is_filler(first) ||
	    ts_queue_mark(q, 0) != TS_SINGLE)
		return 0;
	while (same++ < 2 * REORDER_CC) {
		const uint8_t *packet;

		i = find_pid(q, i + 1, ts_pid(first));
		if (i >= MIN(q->n, (size_t)TS_MERGE_REORDER) ||
		    ts_queue_at_ns(q, i) > until_ns)
			break;
		packet = ts_queue_packet(q, i);
		stepped |= !follows(q, i, last);
		if (stepped && ts_queue_mark(q, i) == TS_SINGLE &&
		    distance(c, packet) < best) {
			best = distance(c, packet);
			ret = i;
		}
		last = i;
	}
	return ret > 0 && wraps_to(q, ret, first) ? 0 : ret;
}

bool ts_put_in_order(struct ts_copies *c, unsigned path)
{
	struct ts_queue *q = &c->path[path].queue;
	const struct ts_queue *other = &c->path[!path].queue;
	size_t at = find_overtaken(c, q), there;

	if (at == 0 || has_wrapped(c, q, at))
		return false;
	there = ts_queue_find(other, 0, ts_queue_hash(q, at));
	if (there < other->n && has_wrapped(c, other, there))
		return false;
	ts_queue_bring_first(q, at);
	return true;
}

/* True if packet a precedes packet b, by their continuity counters. */
static bool is_before(const struct ts_copies *c, const uint8_t *a,
		      const uint8_t *b)
{
	if (distance(c, a) != distance(c, b))
		return distance(c, a) < distance(c, b);
	return ts_pid(a) == ts_pid(b) && !ts_has_payload(a);
}

bool ts_is_first(const struct ts_copies *c, const struct ts_queue *mine,
		 const struct ts_queue *q, size_t near)
{
	const uint8_t *its = ts_queue_packet(q, 0);

	if (is_before(c, ts_queue_packet(mine, 0), its))
		return true;
	/* is an earlier packet of its PID before `near`? */
	for (size_t i = 0; i < near; i++)
		if (ts_pid(ts_queue_packet(mine, i)) == ts_pid(its) &&
		    is_before(c, ts_queue_packet(mine, i), its))
			return true;
	return false;
}

/* True if a packet behind the first one of this path (mine) waits in the other
 * queue (its), but not as its first packet. */
static bool is_ahead(const struct ts_queue *mine, const struct ts_queue *its)
{
	size_t at = its->n;

	for (size_t i = 1; at == its->n &&
			   i < MIN(mine->n, (size_t)TS_MERGE_REORDER); i++)
		if (!ts_is_null_at(mine, i) &&
		    ts_queue_mark(mine, i) == TS_SINGLE &&
		    !ts_is_filler(ts_queue_packet(mine, i)))
			at = ts_queue_find(its, 0, ts_queue_hash(mine, i));
	return at > 0 && at < its->n;
}

bool ts_is_later(const struct ts_copies *c, const struct ts_path *p,
		 const struct ts_path *other)
{
	const struct ts_queue *mine = &p->queue, *its = &other->queue;
	const uint8_t *packet = ts_queue_packet(mine, 0), *next;
	size_t end = MIN(its->n, (size_t)TS_MERGE_REORDER), at = 0, same;

	while (at < end && ts_is_null_at(its, at))
		at++;
	if (at == end || ts_queue_mark(mine, 0) == TS_REPEATED ||
	    ts_is_next(c, packet) || (at > 0 && ts_is_filler(packet)))
		return false;
	next = ts_queue_packet(its, at);
	if (!ts_is_next(c, next) ||
	    (ts_due_ns(c, other, at) > ts_due_ns(c, p, 0) + JITTER_MS * MS &&
	     !is_ahead(mine, its)) ||
	    (ts_pid(packet) == ts_pid(next) && wraps_to(its, at, packet)))
		return false;
	same = find_pid(mine, 0, ts_pid(next));
	return (same == mine->n ||
		!ts_is_next(c, ts_queue_packet(mine, same))) &&
	       ts_queue_find(mine, 0, ts_queue_hash(its, at)) == mine->n;
}
