/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/merge/ts_merge_state.h"

#include "common/base/util.h"

#include <stdlib.h>

enum {
	/* Packets behind a match in which the next is looked for. */
	CONTEXT = 8,
	/* A datagram is overtaken by so many packets at most, so many of them
	 * of one PID, and not for longer. */
	REORDER_CC = 7,
	REORDER_MS = 100,
	/* Paths waver by so much, in general and at most. */
	WAVER_MS = 5,
	WAVER_MAX_MS = 20,
	TS_PID_TABLES = 0x20, /* below, they are of DVB */
};

/* How many counts it is behind its place, of 16: one without a payload has the
 * count of the packet before it. */
static unsigned distance(const struct ts_merge *m, const uint8_t *packet)
{
	uint8_t cc = m->cc[ts_pid(packet)];

	if (cc == TS_CC_UNKNOWN)
		return 0;
	return (ts_cc(packet) - cc - (ts_has_payload(packet) ? 1U : 0)) & 0x0f;
}

bool ts_is_next(const struct ts_merge *m, const uint8_t *packet)
{
	return distance(m, packet) == 0;
}

bool ts_comes_again(const struct ts_merge *m, const struct ts_queue *q)
{
	const uint8_t *packet = ts_queue_packet(q, 0);
	const struct ts_seen_one *s =
		ts_seen_find(&m->seen, ts_queue_hash(q, 0));

	return ts_pid(packet) < TS_PID_TABLES || (s != NULL && s->again) ||
	       ts_is_filler(packet);
}

bool ts_is_late(const struct ts_merge *m, unsigned path)
{
	const struct ts_queue *q = &m->path[path].queue;
	const uint8_t *packet = ts_queue_packet(q, 0);
	const struct ts_seen_one *s =
		ts_seen_find(&m->seen, ts_queue_hash(q, 0));
	uint32_t age_ms;

	if (s == NULL || s->path == path)
		return false;
	age_ms = ts_seen_age_ms(s, m->now_ms);
	if (!ts_comes_again(m, q))
		return s->path != TS_SEEN_BOTH && age_ms < 2 * m->delay_ns / MS;
	return distance(m, packet) > 0x0f - REORDER_CC - 1 &&
	       age_ms < REORDER_MS;
}

static bool has_near(const struct ts_queue *q, size_t at, uint64_t hash)
{
	for (size_t i = at + 1; i <= at + CONTEXT && i < q->n; i++)
		if (ts_queue_hash(q, i) == hash)
			return true;
	return false;
}

/* Does one of the next packets behind the first of a also follow in b?  Filler
 * tells that only when there is nothing else. */
static bool goes_on(const struct ts_queue *a, const struct ts_queue *b,
		    size_t at)
{
	bool all_filler = true, found = false;

	for (size_t i = 1; i <= CONTEXT && i < a->n; i++) {
		bool filler = ts_is_filler(ts_queue_packet(a, i));

		if (ts_is_null_at(a, i))
			continue;
		if (!has_near(b, at, ts_queue_hash(a, i)))
			all_filler &= filler;
		else if (!filler)
			return true;
		else
			found = true;
	}
	return all_filler && found;
}

/* Filler is followed by filler in any place: of what stands behind it some has
 * to follow in b, too, unless nothing came yet. */
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

/* Two that are the same packet are due at about the same time. */
static bool is_timely(const struct ts_merge *m, const struct ts_merge_path *a,
		      const struct ts_merge_path *b, size_t at)
{
	int64_t off = (int64_t)(ts_due_ns(m, a, 0) - ts_due_ns(m, b, at));

	return !ts_is_mixed(m) || llabs(off) < (int64_t)(WAVER_MAX_MS * MS);
}

/* Doubled, repeated behind its first, or too late. */
static bool has_had_its_place(const struct ts_merge *m,
			      const struct ts_merge_path *p)
{
	const uint8_t *packet = ts_queue_packet(&p->queue, 0);

	return ts_queue_mark(&p->queue, 0) != TS_SINGLE ||
	       (!ts_is_next(m, packet) &&
		ts_is_late(m, (unsigned)(p - m->path)));
}

/* The first of a is the next of its PID, and more of that PID stands before at
 * in b: what is there is the same, but another packet. */
static bool is_overdue(const struct ts_merge *m, const struct ts_queue *a,
		       const struct ts_queue *b, size_t at)
{
	const uint8_t *packet = ts_queue_packet(a, 0);

	if (!ts_is_mixed(m) || !ts_is_next(m, packet))
		return false;
	for (size_t i = 0; i < MIN(at, b->n); i++)
		if (ts_pid(ts_queue_packet(b, i)) == ts_pid(packet) &&
		    ts_has_payload(ts_queue_packet(b, i)) &&
		    ts_queue_mark(b, i) != TS_DOUBLED)
			return true;
	return false;
}

size_t ts_match(const struct ts_merge *m, const struct ts_merge_path *a,
		const struct ts_merge_path *b)
{
	const struct ts_queue *qa = &a->queue, *qb = &b->queue;
	uint64_t hash = ts_queue_hash(qa, 0);
	size_t at = ts_queue_find(qb, 0, hash);
	bool unique, again;

	if (at == 0 || at == qb->n)
		return at;
	if (has_had_its_place(m, a))
		return qb->n;
	unique = ts_queue_is_single(qa, hash) &&
		 ts_queue_is_single(qb, hash) &&
		 m->pes[ts_pid(ts_queue_packet(qa, 0))] &&
		 !ts_is_filler(ts_queue_packet(qa, 0));
	again = ts_comes_again(m, qa) ||
		!m->pes[ts_pid(ts_queue_packet(qa, 0))];
	while (!unique && at < qb->n &&
	       (!goes_on(qa, qb, at) || (again && !is_timely(m, a, b, at))))
		at = ts_queue_find(qb, at + 1, hash);
	if (at < qb->n && ts_is_filler(ts_queue_packet(qa, 0)) &&
	    !leads_on(qa, qb, at))
		return qb->n;
	return again && is_overdue(m, qa, qb, at) ? qb->n : at;
}

/* Where the PID is in one of the next packets; its n when it is not. */
static size_t find_pid(const struct ts_queue *q, size_t from, uint16_t pid)
{
	size_t end = MIN(q->n, from + TS_MERGE_REORDER);

	for (size_t i = from; i < end; i++)
		if (ts_pid(ts_queue_packet(q, i)) == pid)
			return i;
	return q->n;
}

/* One that is repeated has the count that was. */
static bool follows(const struct ts_queue *q, size_t at, size_t last)
{
	const uint8_t *packet = ts_queue_packet(q, at);
	bool counts = ts_has_payload(packet) &&
		      ts_queue_mark(q, at) != TS_REPEATED;

	return ((ts_cc(packet) - ts_cc(ts_queue_packet(q, last)) - counts) &
		0x0f) == 0;
}

/* Does the PID go on from `at` to the count of this packet?  Then it has gone
 * around; what was overtaken ends in front of it. */
static bool goes_around(const struct ts_queue *q, size_t at,
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

/* The one of its PID in front of `at`; q->n when it is not near. */
static size_t find_before(const struct ts_queue *q, size_t at)
{
	uint16_t pid = ts_pid(ts_queue_packet(q, at));
	size_t end = at - MIN(at, (size_t)TS_MERGE_REORDER);

	for (size_t i = at; i > end; i--)
		if (ts_pid(ts_queue_packet(q, i - 1)) == pid)
			return i - 1;
	return q->n;
}

/* Does the PID go on to `at` from behind its place, without a step?  Then it
 * has gone around by there. */
static bool has_gone_around(const struct ts_merge *m, const struct ts_queue *q,
			    size_t at)
{
	size_t last = find_before(q, at);

	while (last < q->n && follows(q, at, last)) {
		if (distance(m, ts_queue_packet(q, last)) >
		    distance(m, ts_queue_packet(q, at)))
			return ts_seen_find(&m->seen,
					    ts_queue_hash(q, last)) == NULL;
		at = last;
		last = find_before(q, at);
	}
	return false;
}

/* Which of the next packets was overtaken by the first; 0 when none was. */
static size_t find_overtaken(const struct ts_merge *m, const struct ts_queue *q)
{
	const uint8_t *first = ts_queue_packet(q, 0);
	unsigned best = distance(m, first), same = 0;
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
		    distance(m, packet) < best) {
			best = distance(m, packet);
			ret = i;
		}
		last = i;
	}
	return ret > 0 && goes_around(q, ret, first) ? 0 : ret;
}

bool ts_put_in_order(struct ts_merge *m, unsigned path)
{
	struct ts_queue *q = &m->path[path].queue;
	const struct ts_queue *other = &m->path[!path].queue;
	size_t at = find_overtaken(m, q), there;

	if (at == 0 || has_gone_around(m, q, at))
		return false;
	there = ts_queue_find(other, 0, ts_queue_hash(q, at));
	if (there < other->n && has_gone_around(m, other, there))
		return false;
	ts_queue_bring_first(q, at);
	return true;
}

/* Each path has them in another order. */
static bool is_before(const struct ts_merge *m, const uint8_t *a,
		      const uint8_t *b)
{
	if (distance(m, a) != distance(m, b))
		return distance(m, a) < distance(m, b);
	return ts_pid(a) == ts_pid(b) && !ts_has_payload(a);
}

/* Has this path, which has the packet at `at`, an earlier one of its PID? */
static bool has_before(const struct ts_merge *m, const struct ts_queue *q,
		       size_t at, const uint8_t *packet)
{
	for (size_t i = 0; i < at; i++)
		if (ts_pid(ts_queue_packet(q, i)) == ts_pid(packet) &&
		    is_before(m, ts_queue_packet(q, i), packet))
			return true;
	return false;
}

bool ts_is_first(const struct ts_merge *m, const struct ts_queue *mine,
		 const struct ts_queue *q, size_t near)
{
	const uint8_t *its = ts_queue_packet(q, 0);

	return is_before(m, ts_queue_packet(mine, 0), its) ||
	       has_before(m, mine, near, its);
}

/* What comes behind the first of mine waits in its queue, and not first. */
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

/* Behind the null packets in front; q->n when there are too many.  They tell
 * nothing: of filler that the other path has, which of both is earlier. */
static size_t skip_nulls(const struct ts_queue *q)
{
	size_t end = MIN(q->n, (size_t)TS_MERGE_REORDER);

	for (size_t i = 0; i < end; i++)
		if (!ts_is_null_at(q, i))
			return i;
	return q->n;
}

bool ts_is_later(const struct ts_merge *m, const struct ts_merge_path *p,
		 const struct ts_merge_path *other)
{
	const struct ts_queue *mine = &p->queue, *its = &other->queue;
	const uint8_t *packet = ts_queue_packet(mine, 0), *next;
	size_t at = skip_nulls(its), same;

	if (at == its->n || ts_queue_mark(mine, 0) == TS_REPEATED ||
	    ts_is_next(m, packet) || (at > 0 && ts_is_filler(packet)))
		return false;
	next = ts_queue_packet(its, at);
	if (!ts_is_next(m, next) ||
	    (ts_due_ns(m, other, at) > ts_due_ns(m, p, 0) + WAVER_MS * MS &&
	     !is_ahead(mine, its)) ||
	    (ts_pid(packet) == ts_pid(next) && goes_around(its, at, packet)))
		return false;
	same = find_pid(mine, 0, ts_pid(next));
	return (same == mine->n ||
		!ts_is_next(m, ts_queue_packet(mine, same))) &&
	       ts_queue_find(mine, 0, ts_queue_hash(its, at)) == mine->n;
}
