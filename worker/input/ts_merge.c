/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/ts_merge.h"

#include "common/alloc.h"
#include "worker/input/ts_queue.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* What went out lately, by its number: a second at 90 Mbit/s. */
	SEEN = 65536,
	SEEN_WAYS = 4, /* places that a number may have */
	/* Packets behind a match in which the next is looked for. */
	CONTEXT = 8,
	/* Behind a gap the first common packet is at most the delay away;
	 * after so much more they have nothing in common, and are compared
	 * more seldom. */
	STRANGE_MS = 200,
	COMPARE_EACH = 16,
	/* Seconds in which they are given time to meet. */
	STRANGE_S = 5,
	/* Matches that tell how far they are apart, for a start. */
	SKEW_FIRST = 200,
	LIVE_MS = 1000,
	TIME_MASK = 0x3fffffff,
	/* Of so many comparisons it is told whether they are alike. */
	SHARE_OF = 2000,
	TS_PID_TABLES = 0x20, /* below, they are of DVB */
};

#define MS UINT64_C(1000000)

struct seen {
	uint32_t hash;
	uint32_t at_ms : 30; /* wraps */
	uint32_t again : 1;  /* more than once */
	uint32_t path : 1;   /* that brought it, alone */
};

struct path {
	struct ts_queue queue;
	uint64_t heard_ns; /* 0: never */
	uint64_t lag_ns;   /* behind the faster one */
};

struct ts_merge {
	uint64_t delay_ns;
	uint32_t now_ms;   /* of this turn */
	struct path path[TS_MERGE_PATHS];
	unsigned lead;     /* plays while they have nothing in common */
	bool met;          /* they had something once */
	uint32_t strange_ms; /* since then nothing common came; 0: it does */
	unsigned strange_s; /* that both bring something, not the same */
	unsigned compared;
	bool unsure;       /* the last was not compared */
	/* Of the last comparisons: common ones, and alone on each path. */
	unsigned common, alone[TS_MERGE_PATHS];
	int64_t skew_sum_us;
	uint32_t skew_n;
	struct ts_merge_counts counts;
	struct seen seen[SEEN];
	uint8_t cc[TS_PIDS]; /* the last that went out */
	bool pes[TS_PIDS];   /* pictures, sound: seldom the same bytes twice */
};

struct ts_merge *ts_merge_new(unsigned delay_ms)
{
	struct ts_merge *m = xcalloc(1, sizeof *m);

	m->delay_ns = delay_ms * MS;
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

void ts_merge_feed(struct ts_merge *m, const struct ts_run *runs,
		   size_t n_runs, unsigned path, uint64_t now_ns)
{
	struct path *p = &m->path[path];

	/* the first that comes leads */
	if (m->path[0].heard_ns == 0 && m->path[1].heard_ns == 0)
		m->lead = path;
	p->heard_ns = now_ns;
	for (size_t i = 0; i < n_runs; i++) {
		m->counts.received[path] += runs[i].n;
		for (size_t k = 0; k < runs[i].n; k++)
			if (!ts_queue_push(&p->queue,
					   runs[i].data + k * TS_PACKET,
					   now_ns, TS_MERGE_QUEUE_MAX))
				m->counts.dropped++;
	}
}

/* --- what went out --- */

static struct seen *seen_set(struct ts_merge *m, uint64_t hash)
{
	return &m->seen[hash % (SEEN / SEEN_WAYS) * SEEN_WAYS];
}

static uint32_t seen_age_ms(const struct ts_merge *m, const struct seen *s)
{
	return s->at_ms == 0 ? TIME_MASK
			     : (m->now_ms - s->at_ms) & TIME_MASK;
}

static struct seen *find_seen(struct ts_merge *m, uint64_t hash)
{
	struct seen *set = seen_set(m, hash);

	for (size_t i = 0; i < SEEN_WAYS; i++)
		if (set[i].hash == hash >> 32 && set[i].at_ms != 0)
			return &set[i];
	return NULL;
}

static void note_seen(struct ts_merge *m, uint64_t hash, unsigned path)
{
	struct seen *s = find_seen(m, hash), *set = seen_set(m, hash);
	bool again = s != NULL;

	for (size_t i = 0; !again && i < SEEN_WAYS; i++)
		if (s == NULL || seen_age_ms(m, &set[i]) > seen_age_ms(m, s))
			s = &set[i];
	*s = (struct seen){ .hash = (uint32_t)(hash >> 32),
			    .at_ms = m->now_ms & TIME_MASK, .again = again,
			    .path = path & 1 };
}

/* Tables come again, byte for byte: the same bytes are another packet. */
static bool comes_again(struct ts_merge *m, const struct ts_queue *q)
{
	const struct seen *s = find_seen(m, ts_queue_hash(q, 0));

	return ts_pid(ts_queue_packet(q, 0)) < TS_PID_TABLES ||
	       (s != NULL && s->again);
}

/* Did the other bring it, and did not wait for this one? */
static bool is_late(struct ts_merge *m, unsigned path)
{
	const struct ts_queue *q = &m->path[path].queue;
	const struct seen *s = find_seen(m, ts_queue_hash(q, 0));

	return s != NULL && s->path != path &&
	       seen_age_ms(m, s) < 2 * m->delay_ns / MS && !comes_again(m, q);
}

/* Learns what a PID carries when a PES or a section begins. */
static void note_begin(struct ts_merge *m, const uint8_t *packet)
{
	size_t at = ts_payload_offset(packet);

	m->pes[ts_pid(packet)] = at + 3 <= TS_PACKET && packet[at] == 0 &&
				 packet[at + 1] == 0 && packet[at + 2] == 1;
}

/* both: the other has brought it too, and it will not come again. */
static void pop_out(struct ts_merge *m, struct path *p, bool both,
		    struct batch *b)
{
	const uint8_t *packet = ts_queue_packet(&p->queue, 0);

	if (!both || !m->pes[ts_pid(packet)])
		note_seen(m, ts_queue_hash(&p->queue, 0),
			  (unsigned)(p - m->path));
	if (ts_has_payload(packet))
		m->cc[ts_pid(packet)] = ts_cc(packet);
	if (ts_pusi(packet))
		note_begin(m, packet);
	batch_add(b, (struct ts_run){ .data = packet, .n = 1 });
	ts_queue_pop(&p->queue);
}

static void drop(struct ts_merge *m, struct path *p)
{
	m->counts.dropped++;
	ts_queue_pop(&p->queue);
}

/* --- comparing --- */

static bool is_null_at(const struct ts_queue *q, size_t i)
{
	return ts_pid(ts_queue_packet(q, i)) == TS_PID_NULL;
}

/* Does one of the next packets behind the first of a also follow in b? */
static bool goes_on(const struct ts_queue *a, const struct ts_queue *b,
		    size_t at)
{
	for (size_t i = 1; i <= CONTEXT && i < a->n; i++) {
		if (is_null_at(a, i))
			continue;
		for (size_t k = at + 1; k <= at + CONTEXT && k < b->n; k++)
			if (ts_queue_hash(a, i) == ts_queue_hash(b, k))
				return true;
	}
	return false;
}

/* Where the first of a stands in b; b->n when it does not.  Tables and filler
 * come again byte for byte: the next packets decide. */
static size_t find_first(struct ts_merge *m, const struct ts_queue *a,
			 const struct ts_queue *b)
{
	uint64_t hash = ts_queue_hash(a, 0);
	size_t at;

	m->unsure = !m->counts.aligned && m->compared++ % COMPARE_EACH != 0;
	if (m->unsure)
		return b->n;
	at = ts_queue_find(b, 0, hash);
	while (at > 0 && at < b->n && !goes_on(a, b, at))
		at = ts_queue_find(b, at + 1, hash);
	return at;
}

/* A path that is cut leaves the other alone; when each has as much that the
 * other lacks as they have in common, they are not copies. */
static bool are_alike(struct ts_merge *m)
{
	unsigned both = MIN(m->alone[0], m->alone[1]);
	/* who was strange has to have more in common than who was not */
	bool alike = m->counts.aligned || m->common < SHARE_OF / 8
			     ? both <= m->common + SHARE_OF / 8
			     : 2 * both <= m->common;

	if (m->common + m->alone[0] + m->alone[1] >= SHARE_OF) {
		m->common /= 2;
		m->alone[0] /= 2;
		m->alone[1] /= 2;
	}
	return alike;
}

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

	/* tables may be the same in any two streams */
	if (comes_again(m, &m->path[path].queue))
		return;
	m->skew_sum_us += path == 0 ? skew_us : -skew_us;
	m->skew_n++;
	m->strange_ms = 0;
	m->common++;
	m->met = true;
	m->counts.aligned = are_alike(m);
	if (m->skew_n == SKEW_FIRST && m->counts.skew_us == 0)
		learn_skew(m);
}

/* --- one packet --- */

/* One that the other path does not bring. */
static void count_lost(struct ts_merge *m, unsigned path)
{
	if (!m->met)
		return;
	m->counts.lost[path]++;
	m->counts.merged++;
}

/* What the other has in front of the common packet, this one lacks.  Of the
 * time before they met, what the one that plays has goes out. */
static void fill_in(struct ts_merge *m, unsigned path, size_t n, bool aligned,
		    struct batch *b)
{
	struct path *other = &m->path[!path];

	for (; n > 0; n--) {
		bool null = is_null_at(&other->queue, 0);

		if ((!aligned || null) && m->lead == path)
			ts_queue_pop(&other->queue);
		else if (!null && is_late(m, !path))
			drop(m, other);
		else {
			if (aligned && !null) {
				m->alone[!path]++;
				count_lost(m, path);
			}
			pop_out(m, other, false, b);
		}
	}
}

/* While only one of them brings anything they do not grow strange. */
static void note_alone(struct ts_merge *m, unsigned path)
{
	if (!m->unsure && m->path[!path].queue.n > 0) {
		m->alone[path]++;
		m->counts.aligned = m->counts.aligned && are_alike(m);
	}
	if (m->path[!path].queue.n == 0)
		m->strange_ms = 0;
	else if (m->strange_ms == 0)
		m->strange_ms = m->now_ms;
	else if (m->now_ms - m->strange_ms > m->delay_ns / MS + STRANGE_MS)
		m->counts.aligned = false;
}

static void take_alone(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct path *p = &m->path[path];

	note_alone(m, path);
	if (m->counts.aligned ? is_late(m, path) : path != m->lead) {
		drop(m, p);
		return;
	}
	if (m->counts.aligned)
		count_lost(m, !path);
	pop_out(m, p, false, b);
}

/* Is this the next of its PID, by its counter? */
static bool is_next(const struct ts_merge *m, const uint8_t *p)
{
	return ts_has_payload(p) &&
	       ts_cc(p) == ((m->cc[ts_pid(p)] + 1) & 0x0f);
}

/* Each has what the other lacks: one that goes on where its PID stopped is
 * earlier than one that does not. */
static bool is_later(struct ts_merge *m, const struct path *p,
		     const struct path *other)
{
	const uint8_t *mine = ts_queue_packet(&p->queue, 0), *its;

	if (!m->counts.aligned || other->queue.n == 0)
		return false;
	its = ts_queue_packet(&other->queue, 0);
	return is_next(m, its) && !is_next(m, mine) &&
	       find_first(m, &other->queue, &p->queue) == p->queue.n;
}

/* They are all alike and nobody misses one: those of the lead count. */
static void take_null(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct path *p = &m->path[path], *other = &m->path[!path];

	if (m->counts.aligned && other->queue.n > 0 &&
	    is_null_at(&other->queue, 0))
		ts_queue_pop(&other->queue);
	else if (path != m->lead) {
		ts_queue_pop(&p->queue);
		return;
	}
	pop_out(m, p, false, b);
}

static void take(struct ts_merge *m, unsigned path, struct batch *b)
{
	struct path *p = &m->path[path], *other = &m->path[!path];
	bool aligned = m->counts.aligned;
	size_t at;

	if (m->lead != path && other->queue.n == 0)
		m->lead = path;
	if (is_null_at(&p->queue, 0)) {
		take_null(m, path, b);
		return;
	}
	at = find_first(m, &p->queue, &other->queue);
	if (at == other->queue.n) {
		take_alone(m, is_later(m, p, other) ? !path : path, b);
		return;
	}
	note_match(m, path, at);
	fill_in(m, path, at, aligned, b);
	pop_out(m, p, true, b);
	ts_queue_pop(&other->queue);
}

/* --- time --- */

/* When the first of a path goes out. */
static uint64_t due_ns(const struct ts_merge *m, unsigned path)
{
	const struct path *p = &m->path[path];

	return p->queue.n == 0
		       ? UINT64_MAX
		       : ts_queue_at_ns(&p->queue, 0) + m->delay_ns - p->lag_ns;
}

void ts_merge_turn(struct ts_merge *m, struct batch *b, uint64_t now_ns)
{
	m->now_ms = (uint32_t)(now_ns / MS) | 1; /* 0: never */
	for (;;) {
		unsigned first = due_ns(m, 0) <= due_ns(m, 1) ? 0 : 1;

		if (due_ns(m, first) > now_ns)
			break;
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
	if (m->skew_n > 0)
		learn_skew(m);
	for (unsigned i = 0; i < TS_MERGE_PATHS; i++)
		m->counts.live[i] = m->path[i].heard_ns != 0 &&
				    now_ns - m->path[i].heard_ns <
					    LIVE_MS * MS;
	if (m->counts.aligned || !m->counts.live[0] || !m->counts.live[1])
		m->strange_s = 0;
	else
		m->strange_s += m->strange_s < STRANGE_S;
	m->counts.strange = m->strange_s == STRANGE_S;
}

void ts_merge_counts(const struct ts_merge *m, struct ts_merge_counts *ret)
{
	*ret = m->counts;
}
