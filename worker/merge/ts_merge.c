/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/merge/ts_merge.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/merge/ts_merge_state.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Matches that tell how far they are apart, for a start. */
	SKEW_FIRST = 200,
	SKEW_LEAST = 20, /* in a second; fewer tell it later */
	LIVE_MS = 1000,
	/* The second plays when the first has so many more gaps. */
	GAPS_WORSE = 8,
	/* Two that come at the same time are due within so long. */
	COMPANY_MS = 20, /* what comes at a time may come so seldom, or ... */
	COMPANY_MAX_MS = 400,
	GAP_SHIFT = 3,
	AHEAD = 8, /* packets, of what is called for */
	/* Turns waver: what is due a moment later goes now, not with twice as
	 * much the next time. */
	EARLY_MS = 4,
};

struct ts_merge *ts_merge_new(unsigned delay_ms)
{
	struct ts_merge *m = xcalloc(1, sizeof *m);

	m->delay_ns = delay_ms * MS;
	memset(m->cc, TS_CC_UNKNOWN, sizeof m->cc);
	return m;
}

void ts_merge_free(struct ts_merge **m)
{
	if (*m != NULL)
		for (size_t i = 0; i < TS_MERGE_PATHS; i++)
			ts_queue_done(&(*m)->path[i].queue);
	free(*m);
	*m = NULL;
}

/* The last n that came: which of them are doubled? */
static void note_doubles(struct ts_merge_path *p, size_t n, uint64_t now_ns)
{
	struct ts_queue *q = &p->queue;

	for (size_t i = q->n - n; i < q->n; i++) {
		enum ts_double mark =
			ts_doubles_note(&p->doubles, ts_queue_packet(q, i),
					ts_queue_hash(q, i),
					(uint32_t)(now_ns / MS));

		if (mark != TS_SINGLE)
			ts_queue_set_mark(q, i, mark);
		for (size_t k = 1; k <= p->doubles.before && k <= i; k++)
			ts_queue_set_mark(q, i - k, TS_DOUBLED);
	}
}

static void push(struct ts_merge *m, struct ts_merge_path *p,
		 const struct ts_run *run, uint64_t now_ns)
{
	struct ts_queue *q = &p->queue;
	size_t n = 0;

	while (n < run->n && ts_queue_push(q, run->data + n * TS_PACKET,
					   now_ns, TS_MERGE_QUEUE_MAX)) {
		ts_doubles_expect(&p->doubles, ts_queue_hash(q, q->n - 1));
		n++;
	}
	m->counts.dropped += run->n - n;
	note_doubles(p, n, now_ns);
}

void ts_merge_warm(const struct ts_merge *m, struct warm *w)
{
	for (size_t i = 0; i < TS_MERGE_PATHS; i++) {
		const struct ts_merge_path *p = &m->path[i];

		warm_add(w, p, offsetof(struct ts_merge_path, doubles));
		warm_add(w, &p->doubles.n,
			 offsetof(struct ts_doubles, cc) -
				 offsetof(struct ts_doubles, n));
	}
	warm_add(w, &m->counts, sizeof m->counts);
	warm_add(w, &m->like, offsetof(struct ts_likeness, count));
	warm_add(w, &m->like.count[TS_LIKE_PCR], sizeof m->like.count[0]);
}

/* Follows what is usual; one long gap, as of a cable that was pulled, tells
 * little. */
static void note_gap(struct ts_merge_path *p, uint64_t now_ns)
{
	uint64_t gap_ns = MIN(now_ns - p->heard_ns,
			      2 * p->gap_ns + COMPANY_MS * MS);

	if (p->heard_ns != 0 && gap_ns > 0)
		p->gap_ns += (gap_ns >> GAP_SHIFT) - (p->gap_ns >> GAP_SHIFT);
	p->heard_ns = now_ns;
}

void ts_merge_feed(struct ts_merge *m, const struct ts_run *runs, size_t n_runs,
		   unsigned path, uint64_t now_ns)
{
	struct ts_merge_path *p = &m->path[path];

	/* the first that comes leads */
	if (m->path[0].heard_ns == 0 && m->path[1].heard_ns == 0)
		m->lead = path;
	note_gap(p, now_ns);
	for (size_t i = 0; i < n_runs; i++) {
		m->counts.received[path] += runs[i].n;
		push(m, p, &runs[i], now_ns);
	}
}

/* --- what goes out, and what went --- */

/* Learns what a PID carries when a PES or a section begins. */
static void note_begin(struct ts_merge *m, const uint8_t *packet)
{
	size_t at = ts_payload_offset(packet);

	m->pes[ts_pid(packet)] = at + 3 <= TS_PACKET && packet[at] == 0 &&
				 packet[at + 1] == 0 && packet[at + 2] == 1;
}

/* both: the other has brought it too, and it will not come again. */
static void pop_out(struct ts_merge *m, struct ts_merge_path *p, bool both,
		    struct batch *b)
{
	const uint8_t *packet = ts_queue_packet(&p->queue, 0);

	if (!both || !m->pes[ts_pid(packet)])
		ts_seen_note(&m->seen, ts_queue_hash(&p->queue, 0),
			     both ? TS_SEEN_BOTH : (unsigned)(p - m->path),
			     m->now_ms);
	if (ts_has_payload(packet))
		m->cc[ts_pid(packet)] = ts_cc(packet);
	if (ts_pusi(packet))
		note_begin(m, packet);
	batch_add(b, (struct ts_run){ .data = packet, .n = 1 });
	ts_queue_pop(&p->queue);
}

static void drop(struct ts_merge *m, struct ts_merge_path *p)
{
	m->counts.dropped++;
	ts_queue_pop(&p->queue);
}

/* One that the other path, which brings packets, does not have for good. */
static bool is_superfluous(const struct ts_merge *m,
			   const struct ts_merge_path *p, bool both)
{
	const uint8_t *packet = ts_queue_packet(&p->queue, 0);
	unsigned mark = ts_queue_mark(&p->queue, 0);

	return mark == TS_DOUBLED ||
	       (mark == TS_REPEATED &&
		(both || m->cc[ts_pid(packet)] != ts_cc(packet)));
}

/* --- comparing --- */

static void learn_skew(struct ts_merge *m)
{
	int32_t skew = (int32_t)(m->skew_sum_us / m->skew_n);
	uint64_t lag_ns = (uint64_t)labs(skew) * 1000;

	m->counts.skew_us = skew;
	lag_ns = MIN(lag_ns, m->delay_ns);
	m->path[0].lag_ns = skew < 0 ? lag_ns : 0;
	m->path[1].lag_ns = skew > 0 ? lag_ns : 0;
	m->skew_sum_us = 0;
	m->skew_n = 0;
}

static void note_match(struct ts_merge *m, unsigned path, size_t at)
{
	uint64_t mine = ts_queue_at_ns(&m->path[path].queue, 0);
	uint64_t other = ts_queue_at_ns(&m->path[!path].queue, at);
	int64_t skew_us = ((int64_t)other - (int64_t)mine) / 1000;
	const uint8_t *packet = ts_queue_packet(&m->path[path].queue, 0);

	ts_likeness_common(&m->like, packet);
	/* tables may be the same in any two streams; what went out is not
	 * looked for where it seldom is the same */
	if (m->pes[ts_pid(packet)] ? ts_is_filler(packet)
				   : ts_comes_again(m, &m->path[path].queue))
		return;
	m->skew_sum_us += path == 0 ? skew_us : -skew_us;
	m->skew_n++;
	if (m->skew_n == SKEW_FIRST && m->counts.skew_us == 0)
		learn_skew(m);
}

/* They differ: the healthier one plays, the first when both are. */
static void choose_lead(struct ts_merge *m)
{
	const struct ts_merge_path *p = m->path;

	m->lead = p[1].queue.n > 0 &&
		  (p[0].queue.n == 0 ||
		   p[0].doubles.breaks > 2 * p[1].doubles.breaks + GAPS_WORSE);
}

/* Does the other path bring packets of about the same time as the first of
 * this one, as often as it does?  What came while it was cut tells nothing. */
static bool has_company(const struct ts_merge *m, unsigned path)
{
	const struct ts_merge_path *p = &m->path[path];
	const struct ts_merge_path *other = &m->path[!path];
	uint64_t span_ns = MIN(MAX(2 * other->gap_ns, COMPANY_MS * MS),
			       COMPANY_MAX_MS * MS);

	return other->queue.n > 0 &&
	       ts_due_ns(m, other, 0) < ts_due_ns(m, p, 0) + span_ns;
}

/* The first of a path, which the other has not; while only one of them brings
 * anything they do not grow strange. */
static void note_alone(struct ts_merge *m, unsigned path)
{
	const struct ts_queue *q = &m->path[path].queue;

	if (ts_queue_mark(q, 0) != TS_SINGLE || !has_company(m, path))
		return;
	ts_likeness_alone(&m->like, ts_queue_packet(q, 0), path);
	if (m->like.state == TS_LIKE_REFUSED)
		choose_lead(m);
}

/* --- one packet --- */

/* One that only this path has, while they are mixed. */
static void put_alone(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_merge_path *p = &m->path[path];

	if (ts_is_late(m, path) ||
	    is_superfluous(m, p, m->path[!path].queue.n > 0)) {
		drop(m, p);
		return;
	}
	m->counts.lost[!path]++;
	m->counts.merged++;
	pop_out(m, p, false, b);
}

/* The first of the other path stands before the common packet.  False: look
 * again, they were not in order or are not mixed any more. */
static bool put_before(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_merge_path *p = &m->path[path], *other = &m->path[!path];
	struct ts_queue *q = &other->queue;
	size_t near;

	if (ts_is_null_at(q, 0)) {
		if (m->lead == path)
			ts_queue_pop(q);
		else
			pop_out(m, other, false, b);
		return true;
	}
	if (ts_queue_mark(q, 0) == TS_DOUBLED) {
		drop(m, other);
		return true;
	}
	near = ts_queue_find(&p->queue, 0, ts_queue_hash(q, 0));
	if (near >= MIN(p->queue.n, (size_t)TS_MERGE_REORDER)) {
		note_alone(m, !path);
		if (!ts_is_mixed(m) ||
		    (!ts_is_late(m, !path) && ts_put_in_order(m, !path)))
			return false;
		put_alone(m, !path, b);
		return true;
	}
	if (ts_is_first(m, &p->queue, q, near)) {
		pop_out(m, p, false, b);
		return false;
	}
	if (ts_is_late(m, !path) || is_superfluous(m, other, true))
		drop(m, other);
	else
		pop_out(m, other, false, b);
	return true;
}

/* It is doubled, and the one of the other path has gone out, too.  Of filler it
 * is more likely that both lost as much before it. */
static bool is_doubled_away(const struct ts_merge *m, unsigned path)
{
	const struct ts_queue *q = &m->path[path].queue;
	const struct ts_queue *other = &m->path[!path].queue;

	return ts_queue_mark(q, 0) == TS_DOUBLED &&
	       !ts_is_filler(ts_queue_packet(q, 0)) &&
	       (ts_queue_mark(other, 0) == TS_DOUBLED || ts_is_late(m, !path));
}

/* Both have it now. */
static void put_common(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_merge_path *p = &m->path[path], *other = &m->path[!path];

	if (is_doubled_away(m, path) || is_doubled_away(m, !path))
		drop(m, p);
	else
		pop_out(m, p, true, b);
	ts_queue_pop(&other->queue);
}

/* They are all alike and nobody misses one: those of the lead count. */
static void take_null(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_merge_path *p = &m->path[path], *other = &m->path[!path];

	if (ts_is_mixed(m) && other->queue.n > 0 &&
	    ts_is_null_at(&other->queue, 0))
		ts_queue_pop(&other->queue);
	else if (path != m->lead) {
		ts_queue_pop(&p->queue);
		return;
	}
	pop_out(m, p, false, b);
}

static void take_mixed(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_merge_path *p = &m->path[path], *other = &m->path[!path];
	size_t at = ts_match(m, p, other);

	if (at > 0 && ts_queue_mark(&p->queue, 0) == TS_DOUBLED) {
		drop(m, p);
		return;
	}
	if (at == other->queue.n) {
		if (ts_is_later(m, p, other)) {
			path = !path;
			p = other;
		}
		if (ts_is_null_at(&p->queue, 0)) {
			take_null(m, path, b);
			return;
		}
		note_alone(m, path);
		if (!ts_is_mixed(m) ||
		    (!ts_is_late(m, path) && ts_put_in_order(m, path)))
			return;
		put_alone(m, path, b);
		return;
	}
	/* the bytes of the other are not looked at where they are the same */
	if (ts_put_in_order(m, path) ||
	    ((at > 0 || !ts_is_next(m, ts_queue_packet(&p->queue, 0))) &&
	     ts_put_in_order(m, !path)))
		return;
	if (at == 0) {
		note_match(m, path, 0);
		put_common(m, path, b);
		return;
	}
	for (; at > 0; at--)
		if (!put_before(m, path, b))
			return;
}

/* What plays goes out, the other is compared with it. */
static void put_lead(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_merge_path *p = &m->path[path];

	if (path != m->lead || ts_queue_mark(&p->queue, 0) == TS_DOUBLED)
		drop(m, p);
	else
		pop_out(m, p, false, b);
}

static void take_trial(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_merge_path *p = &m->path[path], *other = &m->path[!path];
	size_t at = ts_match(m, p, other);

	if (at == other->queue.n) {
		note_alone(m, path);
		put_lead(m, path, b);
		return;
	}
	note_match(m, path, at);
	for (; at > 0; at--) {
		if (!ts_is_null_at(&other->queue, 0))
			note_alone(m, !path);
		put_lead(m, !path, b);
	}
	pop_out(m, p, true, b);
	ts_queue_pop(&other->queue);
}

static void take(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_merge_path *p = &m->path[path];

	if (m->lead != path && m->path[!path].queue.n == 0)
		m->lead = path;
	if (ts_is_null_at(&p->queue, 0)) {
		if (ts_queue_mark(&p->queue, 0) == TS_DOUBLED)
			ts_queue_pop(&p->queue);
		else
			take_null(m, path, b);
	} else if (m->like.state == TS_LIKE_REFUSED) {
		put_lead(m, path, b);
	} else if (m->like.state == TS_LIKE_TRIAL) {
		take_trial(m, path, b);
	} else {
		take_mixed(m, path, b);
	}
}

/* --- time --- */

/* When the first of a path goes out. */
static uint64_t due_ns(const struct ts_merge *m, unsigned path)
{
	const struct ts_merge_path *p = &m->path[path];

	return p->queue.n == 0 ? UINT64_MAX : ts_due_ns(m, p, 0);
}

void ts_merge_turn(struct ts_merge *m, struct batch *b, uint64_t now_ns)
{
	m->now_ms = (uint32_t)(now_ns / MS) | 1; /* 0: never */
	for (;;) {
		unsigned first = due_ns(m, 0) <= due_ns(m, 1) ? 0 : 1;

		if (due_ns(m, first) > now_ns + EARLY_MS * MS)
			break;
		ts_queue_expect(&m->path[first].queue, AHEAD);
		take(m, first, b);
	}
	batch_flush(b);
}

bool ts_merge_waits(const struct ts_merge *m)
{
	return m->path[0].queue.n > 0 || m->path[1].queue.n > 0;
}

void ts_merge_second(struct ts_merge *m, uint64_t now_ns)
{
	if (m->skew_n >= SKEW_LEAST)
		learn_skew(m);
	for (unsigned i = 0; i < TS_MERGE_PATHS; i++) {
		struct ts_merge_path *p = &m->path[i];

		m->counts.live[i] =
			p->heard_ns != 0 && now_ns - p->heard_ns < LIVE_MS * MS;
		p->doubles.breaks /= 2;
	}
	ts_likeness_second(&m->like, m->counts.live[0] && m->counts.live[1]);
}

void ts_merge_counts(const struct ts_merge *m, struct ts_merge_counts *ret)
{
	*ret = m->counts;
	ret->aligned = ts_is_mixed(m);
	ret->refused = m->like.refused > 0 && !ts_is_mixed(m) &&
		       m->counts.live[0] && m->counts.live[1];
	ret->lead = m->lead;
	ret->differ = m->like.differ;
	ret->of = m->like.of;
	ret->pid = m->like.slot;
}
