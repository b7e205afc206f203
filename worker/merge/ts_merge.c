/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/merge/ts_merge.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/merge/ts_match.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Matched packets for the first measurement of the skew. */
	SKEW_FIRST = 200,
	/* matched packets in a second for further measurements */
	SKEW_LEAST = 20,
	LIVE_MS = 1000,
	/* The second path leads when the first has more than twice as many
	 * gaps, and this many more. */
	GAPS_WORSE = 8,
	/* Packets of both paths that are due within this time count as of the
	 * same time; for a path with rare packets it is longer. */
	COMPANY_MS = 20,
	COMPANY_MAX_MS = 400,
	GAP_SHIFT = 3, /* a new gap weighs 1/8 in the usual gap */
	/* packets to look ahead: for a prefetch, or past null packets */
	AHEAD = 8,
	/* The most waiting packets of a path that look_ahead() compares, and
	 * the longest time to the next look_ahead(). */
	AHEAD_MAX = 1024,
	LOOK_MAX_MS = 64,
	/* Turns have jitter: a packet due a moment later is sent now, rather
	 * than with twice as many at the next turn. */
	EARLY_MS = 4,
};

struct ts_merge {
	struct ts_copies copies;
	unsigned lead; /* the path that is sent while the paths are not mixed */
	int64_t skew_sum_us;
	uint32_t skew_n;
	uint32_t looked_ms; /* time of the last look_ahead() */
	uint32_t look_ms; /* time from that call to the next one */
	struct ts_merge_counts counts;
};

struct ts_merge *ts_merge_new(unsigned delay_ms)
{
	struct ts_merge *m = xcalloc(1, sizeof *m);

	m->copies.delay_ns = delay_ms * MS;
	memset(m->copies.cc, TS_CC_UNKNOWN, sizeof m->copies.cc);
	return m;
}

void ts_merge_free(struct ts_merge **m)
{
	if (*m != NULL)
		for (size_t i = 0; i < TS_MERGE_PATHS; i++)
			ts_queue_done(&(*m)->copies.path[i].queue);
	free(*m);
	*m = NULL;
}

static void push(struct ts_merge *m, struct ts_path *p,
		 const struct ts_run *run, uint64_t now_ns)
{
	struct ts_queue *q = &p->queue;
	size_t n = 0;

	while (n < run->n && ts_queue_push(q, run->data + n * TS_PACKET,
					   now_ns, TS_MERGE_QUEUE_MAX)) {
		ts_duplicates_expect(&p->duplicates,
				     ts_queue_hash(q, q->n - 1));
		n++;
	}
	m->counts.dropped += run->n - n;
	for (size_t i = q->n - n; i < q->n; i++) {
		enum ts_duplicate mark =
			ts_duplicates_note(&p->duplicates,
					   ts_queue_packet(q, i),
					   ts_queue_hash(q, i),
					   (uint32_t)(now_ns / MS));

		if (mark != TS_SINGLE)
			ts_queue_set_mark(q, i, mark);
		for (size_t k = 1; k <= p->duplicates.before && k <= i; k++)
			ts_queue_set_mark(q, i - k, TS_DUPLICATE);
	}
}

void ts_merge_warm(const struct ts_merge *m, struct prefetch *w)
{
	const struct ts_likeness *like = &m->copies.like;

	for (size_t i = 0; i < TS_MERGE_PATHS; i++) {
		const struct ts_path *p = &m->copies.path[i];

		prefetch_add(w, p, offsetof(struct ts_path, duplicates));
		prefetch_add(w, &p->duplicates.n,
			 offsetof(struct ts_duplicates, cc) -
				 offsetof(struct ts_duplicates, n));
	}
	prefetch_add(w, &m->counts, sizeof m->counts);
	prefetch_add(w, like, offsetof(struct ts_likeness, count));
	prefetch_add(w, &like->count[TS_LIKE_PCR], sizeof like->count[0]);
}

void ts_merge_feed(struct ts_merge *m, const struct ts_run *runs, size_t n_runs,
		   unsigned path, uint64_t now_ns)
{
	struct ts_path *p = &m->copies.path[path];
	/* the usual gap follows slowly: a cut cable is no usual gap */
	uint64_t gap_ns = MIN(now_ns - p->received_ns,
			      2 * p->gap_ns + COMPANY_MS * MS);

	/* the path with the first packet leads */
	if (m->copies.path[0].received_ns == 0 &&
	    m->copies.path[1].received_ns == 0)
		m->lead = path;
	if (p->received_ns != 0 && gap_ns > 0)
		p->gap_ns += (gap_ns >> GAP_SHIFT) - (p->gap_ns >> GAP_SHIFT);
	p->received_ns = now_ns;
	for (size_t i = 0; i < n_runs; i++) {
		m->counts.received[path] += runs[i].n;
		push(m, p, &runs[i], now_ns);
	}
}

/* Sends the first packet of a path.  both: the other path delivered it too, so
 * no copy is expected from there. */
static void pop_out(struct ts_merge *m, struct ts_path *p, bool both,
		    struct batch *b)
{
	struct ts_copies *c = &m->copies;
	const uint8_t *packet = ts_queue_packet(&p->queue, 0);
	uint16_t pid = ts_pid(packet);
	bool damaged = ts_queue_mark(&p->queue, 0) == TS_DAMAGED;

	if (!both || !c->pes[pid])
		ts_note_sent(c, ts_queue_hash(&p->queue, 0),
			     both ? TS_SENT_BOTH : (unsigned)(p - c->path));
	/* a damaged packet sets the counter only if it has the expected one */
	if (ts_has_payload(packet) && (!damaged || ts_is_next(c, packet)))
		c->cc[pid] = ts_cc(packet);
	if (ts_pusi(packet) && !damaged) {
		size_t at = ts_payload_offset(packet);

		c->pes[pid] = at + 3 <= TS_PACKET && packet[at] == 0 &&
			      packet[at + 1] == 0 && packet[at + 2] == 1;
	}
	batch_add(b, (struct ts_run){ .data = packet, .n = 1 });
	ts_queue_pop(&p->queue);
}

static void drop(struct ts_merge *m, struct ts_path *p)
{
	m->counts.dropped++;
	ts_queue_pop(&p->queue);
}

/* --- comparing --- */

static void learn_skew(struct ts_merge *m)
{
	int32_t skew = (int32_t)(m->skew_sum_us / m->skew_n);
	uint64_t lag_ns = (uint64_t)labs(skew) * 1000;

	m->counts.skew_us = skew;
	lag_ns = MIN(lag_ns, m->copies.delay_ns);
	m->copies.path[0].lag_ns = skew < 0 ? lag_ns : 0;
	m->copies.path[1].lag_ns = skew > 0 ? lag_ns : 0;
	m->skew_sum_us = 0;
	m->skew_n = 0;
}

/* Notes that the other path has the first packet of `path', at place `at': the
 * paths are alike, with this skew. */
static void note_match(struct ts_merge *m, unsigned path, size_t at)
{
	struct ts_copies *c = &m->copies;
	const struct ts_queue *q = &c->path[path].queue;
	uint64_t mine = ts_queue_at_ns(q, 0);
	uint64_t other = ts_queue_at_ns(&c->path[!path].queue, at);
	int64_t skew_us = ((int64_t)other - (int64_t)mine) / 1000;
	const uint8_t *packet = ts_queue_packet(q, 0);

	ts_likeness_common(&c->like, packet);
	/* a packet that can repeat may match another one, so it does not
	 * measure the skew.  For PES no earlier copies are searched: they are
	 * rare */
	if (c->pes[ts_pid(packet)] ? ts_is_filler(packet)
				   : ts_can_repeat(c, q))
		return;
	m->skew_sum_us += path == 0 ? skew_us : -skew_us;
	m->skew_n++;
	if (m->skew_n == SKEW_FIRST && m->counts.skew_us == 0)
		learn_skew(m);
}

/* Notes that the other path lacks the first packet of `path'.  If the paths are
 * refused as different streams, chooses the path to send. */
static void note_alone(struct ts_merge *m, unsigned path)
{
	struct ts_copies *c = &m->copies;
	const struct ts_queue *q = &c->path[path].queue;
	const struct ts_path *p = c->path, *other = &c->path[!path];
	uint64_t span_ns = MIN(MAX(2 * other->gap_ns, COMPANY_MS * MS),
			       COMPANY_MAX_MS * MS);

	/* A missing packet counts only if the other path delivers packets of
	 * about the same time, and is not interrupted. */
	if (ts_queue_mark(q, 0) != TS_SINGLE || other->queue.n == 0 ||
	    ts_due_ns(c, other, 0) >= ts_due_ns(c, &p[path], 0) + span_ns)
		return;
	ts_likeness_alone(&c->like, ts_queue_packet(q, 0), path);
	if (c->like.state == TS_LIKE_REFUSED)
		/* the first path leads, unless the second has clearly fewer
		 * gaps */
		m->lead = p[1].queue.n > 0 &&
			  (p[0].queue.n == 0 ||
			   p[0].duplicates.breaks >
				   2 * p[1].duplicates.breaks + GAPS_WORSE);
}

/* --- one packet --- */

/* True if the first packet of p, which the other path does not have, must be
 * dropped as a duplicate or a repetition. */
static bool is_superfluous(const struct ts_merge *m, const struct ts_path *p,
			   bool other_delivers)
{
	const uint8_t *packet = ts_queue_packet(&p->queue, 0);
	unsigned mark = ts_queue_mark(&p->queue, 0);

	return mark == TS_DUPLICATE ||
	       (mark == TS_REPEATED &&
		(other_delivers ||
		 m->copies.cc[ts_pid(packet)] != ts_cc(packet)));
}

/* Sends or drops a packet that only this path has, while paths are mixed. */
static void put_alone(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_path *p = &m->copies.path[path];

	if (ts_is_late(&m->copies, path) || ts_is_replaced(&m->copies, path) ||
	    is_superfluous(m, p, m->copies.path[!path].queue.n > 0)) {
		drop(m, p);
		return;
	}
	m->counts.lost[!path]++;
	m->counts.merged++;
	pop_out(m, p, false, b);
}

/* Sends or drops the first packet of the other path, which is in front of the
 * common packet.  False: another packet was sent or moved, or the paths are not
 * mixed any more; the caller matches again. */
static bool put_before(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_copies *c = &m->copies;
	struct ts_path *p = &c->path[path], *other = &c->path[!path];
	struct ts_queue *q = &other->queue;
	size_t near;

	if (ts_is_null_at(q, 0)) {
		if (m->lead == path)
			ts_queue_pop(q);
		else
			pop_out(m, other, false, b);
		return true;
	}
	if (ts_queue_mark(q, 0) == TS_DUPLICATE) {
		drop(m, other);
		return true;
	}
	near = ts_queue_find(&p->queue, 0, ts_queue_hash(q, 0));
	if (near >= MIN(p->queue.n, (size_t)TS_MERGE_REORDER)) {
		note_alone(m, !path);
		if (!ts_is_mixed(c) ||
		    (!ts_is_late(c, !path) && ts_put_in_order(c, !path)))
			return false;
		put_alone(m, !path, b);
		return true;
	}
	if (ts_is_first(c, &p->queue, q, near)) {
		pop_out(m, p, false, b);
		return false;
	}
	if (ts_is_late(c, !path) || is_superfluous(m, other, true))
		drop(m, other);
	else
		pop_out(m, other, false, b);
	return true;
}

/* Is the first packet of a path a duplicate whose original was sent?  Filler is
 * no duplicate: more likely both paths lost the same number of packets. */
static bool is_sent_duplicate(const struct ts_merge *m, unsigned path)
{
	const struct ts_queue *q = &m->copies.path[path].queue;
	const struct ts_queue *other = &m->copies.path[!path].queue;

	return ts_queue_mark(q, 0) == TS_DUPLICATE &&
	       !ts_is_filler(ts_queue_packet(q, 0)) &&
	       (ts_queue_mark(other, 0) == TS_DUPLICATE ||
		ts_is_late(&m->copies, !path));
}

/* Sends or drops a null packet.  Null packets are all alike, so those of the
 * lead are sent. */
static void take_null(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_path *p = &m->copies.path[path];
	struct ts_path *other = &m->copies.path[!path];

	if (ts_is_mixed(&m->copies) && other->queue.n > 0 &&
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
	struct ts_copies *c = &m->copies;
	struct ts_path *p = &c->path[path], *other = &c->path[!path];
	size_t at = ts_match(c, p, other);

	if (at > 0 && ts_queue_mark(&p->queue, 0) == TS_DUPLICATE) {
		drop(m, p);
		return;
	}
	if (at == other->queue.n) {
		if (ts_is_later(c, p, other))
			path = !path;
		if (ts_is_null_at(&c->path[path].queue, 0)) {
			take_null(m, path, b);
			return;
		}
		note_alone(m, path);
		if (ts_is_mixed(c) &&
		    (ts_is_late(c, path) || !ts_put_in_order(c, path)))
			put_alone(m, path, b);
		return;
	}
	/* if both paths begin with the next packet, the other path needs no
	 * reordering */
	if (ts_put_in_order(c, path) ||
	    ((at > 0 || !ts_is_next(c, ts_queue_packet(&p->queue, 0))) &&
	     ts_put_in_order(c, !path)))
		return;
	if (at > 0) {
		while (at-- > 0 && put_before(m, path, b))
			;
		return;
	}
	note_match(m, path, 0);
	if (is_sent_duplicate(m, path) || is_sent_duplicate(m, !path))
		drop(m, p);
	else
		pop_out(m, p, true, b);
	ts_queue_pop(&other->queue);
}

/* Sends the first packet of a path if the path is the lead and the packet is no
 * duplicate.  Otherwise drops it. */
static void put_lead(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_path *p = &m->copies.path[path];

	if (path != m->lead || ts_queue_mark(&p->queue, 0) == TS_DUPLICATE)
		drop(m, p);
	else
		pop_out(m, p, false, b);
}

/* Packets that wait on a path, compared with those on the other. */
struct ahead {
	/* packets that the other path has, and, between these, packets that it
	 * lacks */
	size_t common, alone;
	/* place of the first common packet in the other queue */
	size_t its_first;
	uint16_t pid_common[TS_PIDS], pid_alone[TS_PIDS];
};

/* The place of a copy of packet i in the other queue; other->n: there is none.
 * Mostly it is at place `at', behind the last copy, so that no search is
 * needed. */
static size_t find_ahead(const struct ts_queue *q, size_t i,
			 const struct ts_queue *other, size_t at)
{
	size_t end = MIN(other->n, at + AHEAD);

	while (at < end && ts_is_null_at(other, at))
		at++;
	if (at < end && ts_queue_hash(other, at) == ts_queue_hash(q, i))
		return at;
	return ts_queue_find(other, 0, ts_queue_hash(q, i));
}

/* Compares at most AHEAD_MAX packets of a path, from this place on, with those
 * of the other path. */
static void compare_ahead(struct ts_merge *m, unsigned path, size_t from,
			  struct ahead *a)
{
	const struct ts_queue *q = &m->copies.path[path].queue;
	const struct ts_queue *other = &m->copies.path[!path].queue;
	uint16_t between[AHEAD_MAX];
	size_t n_between = 0, next = 0, looked = 0;

	*a = (struct ahead){ 0 };
	for (size_t i = from; i < q->n && looked < AHEAD_MAX; i++) {
		size_t at;

		if (ts_is_null_at(q, i) || ts_queue_mark(q, i) != TS_SINGLE)
			continue;
		looked++;
		at = find_ahead(q, i, other, next);
		if (at == other->n) {
			if (a->common > 0)
				between[n_between++] =
					ts_pid(ts_queue_packet(q, i));
			continue;
		}
		if (a->common++ == 0)
			a->its_first = at;
		a->pid_common[ts_pid(ts_queue_packet(q, i))]++;
		next = at + 1;
		a->alone += n_between;
		while (n_between > 0)
			a->pid_alone[between[--n_between]]++;
		if (path != 0 || !ts_queue_is_single(q, ts_queue_hash(q, i)) ||
		    !ts_queue_is_single(other, ts_queue_hash(q, i)))
			continue;
		m->skew_sum_us += ((int64_t)ts_queue_at_ns(other, at) -
				   (int64_t)ts_queue_at_ns(q, i)) / 1000;
		m->skew_n++;
	}
}

/* Does each path have more packets of a PID that the other path lacks than
 * packets that both have? */
static bool has_doubt(const struct ahead a[TS_MERGE_PATHS])
{
	for (size_t pid = 0; pid < TS_PIDS; pid++)
		if (MIN(a[0].pid_alone[pid], a[1].pid_alone[pid]) >
		    MIN(a[0].pid_common[pid], a[1].pid_common[pid]))
			return true;
	return false;
}

/* Compares the packets that wait.  If they show copies, and their skew, before
 * the first of them is sent, losses are filled from the start.  While they show
 * none, the next ones are compared after a pause, which doubles. */
static void look_ahead(struct ts_merge *m)
{
	struct ahead a[TS_MERGE_PATHS];
	int64_t sum_us = m->skew_sum_us;
	uint32_t n = m->skew_n;

	m->looked_ms = m->copies.now_ms;
	m->look_ms = MIN(2 * m->look_ms + 1, LOOK_MAX_MS);
	/* if one path begins earlier, the first packets of the other show where
	 * the common packets begin */
	compare_ahead(m, 0, 0, &a[0]);
	compare_ahead(m, 1, a[0].its_first, &a[1]);
	if (a[0].common == 0 && a[1].common > 0)
		compare_ahead(m, 0, a[1].its_first, &a[0]);
	ts_likeness_ahead(&m->copies.like, MIN(a[0].common, a[1].common),
			  MIN(a[0].alone, a[1].alone), has_doubt(a));
	if (ts_is_mixed(&m->copies) && m->skew_n >= n + SKEW_LEAST) {
		learn_skew(m);
	} else {
		m->skew_sum_us = sum_us;
		m->skew_n = n;
	}
}

static void take_trial(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct ts_path *p = &m->copies.path[path];
	struct ts_path *other = &m->copies.path[!path];
	size_t at;

	if (m->copies.like.refused == 0 && other->queue.n > 0 &&
	    m->copies.now_ms - m->looked_ms >= m->look_ms) {
		look_ahead(m);
		if (ts_is_mixed(&m->copies))
			return;
	}
	at = ts_match(&m->copies, p, other);
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

/* The time at which the first packet of a path is sent; UINT64_MAX: none
 * waits. */
static uint64_t due_ns(const struct ts_merge *m, unsigned path)
{
	const struct ts_path *p = &m->copies.path[path];

	return p->queue.n == 0 ? UINT64_MAX : ts_due_ns(&m->copies, p, 0);
}

void ts_merge_turn(struct ts_merge *m, struct batch *b, uint64_t now_ns)
{
	struct ts_copies *c = &m->copies;

	c->now_ms = (uint32_t)(now_ns / MS) | 1; /* 0 marks an empty place */
	for (;;) {
		unsigned path = due_ns(m, 0) <= due_ns(m, 1) ? 0 : 1;
		struct ts_queue *q = &c->path[path].queue;

		if (due_ns(m, path) > now_ns + EARLY_MS * MS)
			break;
		ts_queue_expect(q, AHEAD);
		if (m->lead != path && c->path[!path].queue.n == 0)
			m->lead = path;
		if (ts_is_null_at(q, 0)) {
			if (ts_queue_mark(q, 0) == TS_DUPLICATE)
				ts_queue_pop(q);
			else
				take_null(m, path, b);
		} else if (c->like.state == TS_LIKE_REFUSED) {
			put_lead(m, path, b);
		} else if (c->like.state == TS_LIKE_TRIAL) {
			take_trial(m, path, b);
		} else {
			take_mixed(m, path, b);
		}
	}
	batch_flush(b);
}

bool ts_merge_waits(const struct ts_merge *m)
{
	return m->copies.path[0].queue.n > 0 || m->copies.path[1].queue.n > 0;
}

void ts_merge_every_second(struct ts_merge *m, uint64_t now_ns)
{
	if (m->skew_n >= SKEW_LEAST)
		learn_skew(m);
	for (unsigned i = 0; i < TS_MERGE_PATHS; i++) {
		struct ts_path *p = &m->copies.path[i];

		m->counts.live[i] = p->received_ns != 0 &&
				    now_ns - p->received_ns < LIVE_MS * MS;
		p->duplicates.breaks /= 2;
	}
	ts_likeness_every_second(&m->copies.like,
				 m->counts.live[0] && m->counts.live[1]);
}

void ts_merge_counts(const struct ts_merge *m, struct ts_merge_counts *ret)
{
	const struct ts_likeness *like = &m->copies.like;

	*ret = m->counts;
	ret->aligned = ts_is_mixed(&m->copies);
	ret->refused = like->refused > 0 && !ts_is_mixed(&m->copies) &&
		       m->counts.live[0] && m->counts.live[1];
	ret->lead = m->lead;
	ret->differ = like->differ;
	ret->of = like->of;
	ret->pid = like->slot;
}
