/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/section_schedule.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* The places of a stream are some milliseconds apart: sections are
	 * sent earlier, so that no interval is exceeded. */
	EARLY_PERCENT = 90,
	/* What present and following events may take in advance. */
	DEBT_MAX_MS = 1000,
};

struct entry {
	struct schedule_key key;
	unsigned interval_ms;
	enum schedule_class class;
	size_t packets; /* of all sections */
	uint64_t due_ns;
	uint64_t sent_ns; /* the last section; 0: none yet */
	/* a table: the sections lie in data, one behind the other */
	size_t n, next;
	size_t *ends; /* where each section ends in data */
	uint8_t *data;
	/* a clock */
	schedule_clock_fn *clock;
	void *arg;
	int64_t sent_s; /* the second of the last one */
};

struct schedule {
	size_t n, room;
	struct entry *entries;
	unsigned eit_kbps; /* 0: no limit */
	/* the EIT that were sent have used their rate up to this time */
	uint64_t paid_ns;
	/* no table is due before; 0: not known */
	uint64_t idle_ns;
	uint8_t clock[SCHEDULE_CLOCK_LEN];
};

struct schedule *schedule_new(void)
{
	return xcalloc(1, sizeof(struct schedule));
}

static void drop_sections(struct entry *e)
{
	free(e->ends);
	free(e->data);
	e->ends = NULL;
	e->data = NULL;
	e->n = e->packets = 0;
}

static bool is_same_table(const struct schedule_key *a,
			  const struct schedule_key *b)
{
	return a->pid == b->pid && a->table_id == b->table_id &&
	       a->extension == b->extension;
}

void schedule_free(struct schedule **s)
{
	for (size_t i = 0; *s != NULL && i < (*s)->n; i++)
		drop_sections(&(*s)->entries[i]);
	if (*s != NULL)
		free((*s)->entries);
	free(*s);
	*s = NULL;
}

static struct entry *find(struct schedule *s, const struct schedule_key *key)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct schedule_key *k = &s->entries[i].key;

		if (is_same_table(k, key) && k->part == key->part)
			return &s->entries[i];
	}
	return NULL;
}

static struct entry *find_or_add(struct schedule *s,
				 const struct schedule_key *key)
{
	struct entry *e = find(s, key);

	if (e == NULL && s->n < SCHEDULE_TABLES_MAX) {
		if (s->n == s->room) {
			s->room = MAX(16, 2 * s->room);
			s->entries = xrealloc(s->entries,
					      s->room * sizeof *s->entries);
		}
		e = &s->entries[s->n++];
		*e = (struct entry){ .key = *key };
	}
	return e;
}

static bool is_same(const struct entry *e, const struct schedule_section *list,
		    size_t n)
{
	size_t at = 0;

	if (e->n != n)
		return false;
	for (size_t i = 0; i < n; at = e->ends[i], i++)
		if (e->ends[i] - at != list[i].len ||
		    memcmp(e->data + at, list[i].data, list[i].len) != 0)
			return false;
	return true;
}

static void take_sections(struct entry *e, const struct schedule_section *list,
			  size_t n)
{
	size_t size = 0, at = 0;

	drop_sections(e);
	for (size_t i = 0; i < n; i++)
		size += list[i].len;
	e->data = xcalloc(1, size);
	e->ends = xcalloc(n, sizeof *e->ends);
	for (size_t i = 0; i < n; i++) {
		memcpy(e->data + at, list[i].data, list[i].len);
		at += list[i].len;
		e->ends[i] = at;
		e->packets += section_packets(list[i].len);
	}
	e->n = n;
	/* a schedule of events continues, so that a part that changes often
	 * does not delay the others */
	e->next = e->class == SCHEDULE_GUIDE ? e->next % n : 0;
	e->due_ns = e->sent_ns > 0 ? e->sent_ns + SCHEDULE_GAP_MS * MS : 0;
}

bool schedule_set_terms(struct schedule *s, const struct schedule_key *key,
			const struct schedule_terms *terms,
			const struct schedule_section *list, size_t n)
{
	struct entry *e = n > 0 ? find_or_add(s, key) : find(s, key);

	if (n > SCHEDULE_SECTIONS_MAX)
		return false;
	if (e == NULL)
		return n == 0;
	s->idle_ns = 0;
	if (n == 0) {
		drop_sections(e);
		*e = s->entries[--s->n];
		return true;
	}
	e->interval_ms = terms->interval_ms;
	e->class = terms->class;
	if (!is_same(e, list, n))
		take_sections(e, list, n);
	return true;
}

bool schedule_set(struct schedule *s, const struct schedule_key *key,
		  unsigned interval_ms, const struct schedule_section *list,
		  size_t n)
{
	const struct schedule_terms terms = { interval_ms, SCHEDULE_TABLE };

	return schedule_set_terms(s, key, &terms, list, n);
}

bool schedule_set_clock(struct schedule *s, const struct schedule_key *key,
			unsigned interval_ms, schedule_clock_fn *clock,
			void *arg)
{
	struct entry *e = find_or_add(s, key);

	if (e == NULL)
		return false;
	s->idle_ns = 0;
	e->interval_ms = interval_ms;
	e->clock = clock;
	e->arg = arg;
	return true;
}

/* Is this clock due now?  A clock that was set back begins anew. */
static bool clock_is_due(const struct entry *e, uint64_t unix_ms)
{
	int64_t second = (int64_t)(unix_ms / 1000);
	int64_t step = MAX(e->interval_ms * EARLY_PERCENT / 100 / 1000, 1);

	return unix_ms % 1000 < SCHEDULE_CLOCK_MS &&
	       (second < e->sent_s || second - e->sent_s >= step);
}

static bool send_clock(struct schedule *s, struct entry *e, uint64_t unix_ms,
		       struct schedule_due *ret)
{
	size_t len;

	e->sent_s = (int64_t)(unix_ms / 1000);
	len = e->clock(e->sent_s, e->arg, s->clock);
	*ret = (struct schedule_due){ e->key.pid, true, SCHEDULE_TABLE,
				      s->clock, len };
	return len > 0;
}

/* --- the rate of the EIT --- */

void schedule_set_eit_rate(struct schedule *s, unsigned kbps)
{
	s->eit_kbps = kbps;
	s->idle_ns = 0;
}

unsigned schedule_eit_need(const struct schedule *s)
{
	uint64_t sum = 0; /* bit/s */

	for (size_t i = 0; i < s->n; i++) {
		const struct entry *e = &s->entries[i];

		if (e->class != SCHEDULE_TABLE && e->n > 0)
			sum += e->packets * TS_PACKET * 8 * 1000 * 100 /
			       (e->interval_ms * (uint64_t)EARLY_PERCENT);
	}
	return (unsigned)((sum + 999) / 1000);
}

static void pay(struct schedule *s, size_t len, uint64_t now_ns)
{
	uint64_t bits = section_packets(len) * TS_PACKET * 8;

	if (s->eit_kbps == 0)
		return;
	s->paid_ns = MAX(s->paid_ns, now_ns) + bits * 1000000 / s->eit_kbps;
	s->paid_ns = MIN(s->paid_ns, now_ns + DEBT_MAX_MS * MS);
}

/* When the entry is due; UINT64_MAX: it has nothing. */
static uint64_t due_of(const struct schedule *s, const struct entry *e)
{
	if (e->n == 0)
		return UINT64_MAX;
	return e->class == SCHEDULE_GUIDE && s->eit_kbps > 0
		       ? MAX(e->due_ns, s->paid_ns)
		       : e->due_ns;
}

/* --- tables --- */

/* Other parts of the same table keep the distance, too. */
static void keep_gap(struct schedule *s, const struct entry *sent,
		     uint64_t now_ns)
{
	for (size_t i = 0; i < s->n; i++) {
		struct entry *e = &s->entries[i];

		if (is_same_table(&e->key, &sent->key))
			e->due_ns = MAX(e->due_ns,
					now_ns + SCHEDULE_GAP_MS * MS);
	}
}

static void send_section(struct schedule *s, struct entry *e, uint64_t now_ns,
			 struct schedule_due *ret)
{
	uint64_t step = e->interval_ms * MS * EARLY_PERCENT / 100 / e->n;
	uint64_t period = MAX(step, SCHEDULE_GAP_MS * MS);
	size_t at = e->next > 0 ? e->ends[e->next - 1] : 0;

	*ret = (struct schedule_due){ e->key.pid, false, e->class,
				      e->data + at, e->ends[e->next] - at };
	e->next = (e->next + 1) % e->n;
	/* a little lateness does not add up; a long one is no debt */
	e->due_ns = (now_ns - e->due_ns < period ? e->due_ns : now_ns) +
		    period;
	e->sent_ns = now_ns;
	keep_gap(s, e, now_ns);
	if (e->class != SCHEDULE_TABLE)
		pay(s, ret->len, now_ns);
}

static bool next_clock(struct schedule *s, uint64_t unix_ms,
		       struct schedule_due *ret)
{
	for (size_t i = 0; i < s->n; i++) {
		struct entry *e = &s->entries[i];

		if (e->clock != NULL && clock_is_due(e, unix_ms) &&
		    send_clock(s, e, unix_ms, ret))
			return true;
	}
	return false;
}

/* A table that is no schedule of events precedes those that are. */
static bool precedes(const struct entry *a, const struct entry *b)
{
	bool guide_a = a->class == SCHEDULE_GUIDE;
	bool guide_b = b->class == SCHEDULE_GUIDE;

	return guide_a != guide_b ? guide_b : a->due_ns < b->due_ns;
}

bool schedule_next(struct schedule *s, uint64_t now_ns, uint64_t unix_ms,
		   bool without_guide, struct schedule_due *ret)
{
	struct entry *first = NULL;
	uint64_t idle_ns = UINT64_MAX;

	if (unix_ms % 1000 < SCHEDULE_CLOCK_MS && next_clock(s, unix_ms, ret))
		return true;
	if (now_ns < s->idle_ns)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		struct entry *e = &s->entries[i];
		uint64_t due_ns = due_of(s, e);

		idle_ns = MIN(idle_ns, due_ns);
		if (e->clock == NULL && due_ns <= now_ns &&
		    !(without_guide && e->class == SCHEDULE_GUIDE) &&
		    (first == NULL || precedes(e, first)))
			first = e;
	}
	s->idle_ns = first == NULL ? idle_ns : 0;
	if (first == NULL)
		return false;
	send_section(s, first, now_ns, ret);
	return true;
}
