/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/section_schedule.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Sections are due after this percentage of their interval, because the
	 * stream has a place for them only every few milliseconds. */
	EARLY_PERCENT = 90,
	/* Present/following may use the rate of the EIT in advance for this
	 * time. */
	DEBT_MAX_MS = 1000,
};

/* The fields of a sub-table that schedule_next() reads of all sub-tables; the
 * entry with the same index has the others. */
struct line {
	uint64_t key; /* from pack() */
	uint64_t due_ns; /* time at which its next section is due; UINT64_MAX:
			  * it has no sections, or is a clock */
	bool guide; /* part of an EIT schedule */
};

struct entry {
	uint16_t pid;
	unsigned interval_ms;
	enum schedule_class class;
	size_t packets; /* packets of all its sections */
	uint64_t sent_ns; /* time of its last section, or clock; 0: none was
			   * sent yet */
	/* of a table: `n' sections in `data', one behind the other; section
	 * `next' is sent next */
	size_t n, next;
	size_t fresh; /* after a change: sections that were not sent yet */
	size_t *ends; /* for each section: the offset of its end in `data' */
	uint8_t *data;
	/* of a clock: builds its section */
	schedule_clock_fn *clock;
	void *arg;
	int64_t sent_s; /* of a clock: the Unix time that was sent last */
	uint64_t from_ns; /* of a clock: its interval begins at this time */
};

struct schedule {
	size_t n, room, n_clocks;
	struct line *lines;
	struct entry *entries;
	unsigned eit_kbps; /* rate of all EIT together in kbit/s; 0: no limit */
	/* the EIT that were sent use the rate of the EIT up to this time */
	uint64_t paid_ns;
	/* no table is due before this time; 0: not known */
	uint64_t idle_ns;
	/* no clock is due late in a second before this time; 0: not known */
	uint64_t late_ns;
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

/* The key as one number, with the part in the lowest 16 bits. */
static uint64_t pack(const struct schedule_key *k)
{
	return (uint64_t)k->pid << 40 | (uint64_t)k->table_id << 32 |
	       (uint64_t)k->extension << 16 | k->part;
}

void schedule_free(struct schedule **s)
{
	for (size_t i = 0; *s != NULL && i < (*s)->n; i++)
		drop_sections(&(*s)->entries[i]);
	if (*s != NULL) {
		free((*s)->lines);
		free((*s)->entries);
	}
	free(*s);
	*s = NULL;
}

/* The index of the sub-table with this key; s->n: the schedule does not have
 * it. */
static size_t find(const struct schedule *s, const struct schedule_key *key)
{
	uint64_t packed = pack(key);
	size_t i = 0;

	while (i < s->n && s->lines[i].key != packed)
		i++;
	return i;
}

/* The index of the sub-table with this key, which is added if it is new;
 * SCHEDULE_TABLES_MAX: the schedule is full. */
static size_t find_or_add(struct schedule *s, const struct schedule_key *key)
{
	size_t i = find(s, key);

	if (i < s->n || s->n == SCHEDULE_TABLES_MAX)
		return i;
	if (s->n == s->room) {
		s->room = MAX(16, 2 * s->room);
		s->lines = xrealloc(s->lines, s->room * sizeof *s->lines);
		s->entries = xrealloc(s->entries,
				      s->room * sizeof *s->entries);
	}
	s->lines[i] = (struct line){ .key = pack(key), .due_ns = UINT64_MAX };
	s->entries[i] = (struct entry){ .pid = key->pid };
	s->n++;
	return i;
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

static void take_sections(struct entry *e, struct line *l,
			  const struct schedule_section *list, size_t n)
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
	/* An EIT schedule continues with the next section, so that a section
	 * that changes often does not delay the others.  The sections of
	 * another table are sent one right after another, so that none exceeds
	 * its interval. */
	e->next = l->guide ? e->next % n : 0;
	e->fresh = l->guide ? 0 : n;
	l->due_ns = e->sent_ns > 0 ? e->sent_ns + SCHEDULE_GAP_MS * MS : 0;
}

bool schedule_set_terms(struct schedule *s, const struct schedule_key *key,
			const struct schedule_terms *terms,
			const struct schedule_section *list, size_t n)
{
	struct entry *e;
	size_t i;

	if (n > SCHEDULE_SECTIONS_MAX)
		return false;
	i = n > 0 ? find_or_add(s, key) : find(s, key);
	if (n > 0 && i == s->n)
		return false;
	s->idle_ns = 0;
	if (n == 0 && i == s->n)
		return true;
	e = &s->entries[i];
	if (n == 0) {
		drop_sections(e);
		s->n_clocks -= e->clock != NULL;
		s->n--;
		s->lines[i] = s->lines[s->n];
		*e = s->entries[s->n];
		return true;
	}
	e->interval_ms = terms->interval_ms;
	e->class = terms->class;
	s->lines[i].guide = terms->class == SCHEDULE_GUIDE;
	if (!is_same(e, list, n))
		take_sections(e, &s->lines[i], list, n);
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
	size_t i = find_or_add(s, key);
	struct entry *e = &s->entries[i];

	if (i == s->n)
		return false;
	s->n_clocks += e->clock == NULL;
	e->interval_ms = interval_ms;
	e->clock = clock;
	e->arg = arg;
	s->late_ns = 0;
	return true;
}

/* The time from which on, up to the end of its interval, a clock is due at any
 * time of a second: the stream had no packet early in the seconds before.
 * UINT64_MAX: the interval is too short for that. */
static uint64_t late_from(const struct entry *e)
{
	unsigned step_s = e->interval_ms * EARLY_PERCENT / 100 / 1000;
	unsigned late_s = MAX(e->interval_ms / 1000, 1U) - 1;

	return late_s > step_s ? e->from_ns + late_s * SECOND_NS : UINT64_MAX;
}

static bool is_over(const struct entry *e, uint64_t now_ns)
{
	return now_ns - e->from_ns >= e->interval_ms * MS;
}

/* Is this clock due now?  If the system time was set back, the interval ends by
 * now_ns; if it was set back behind the last clock, the clock is due in the
 * next second. */
static bool clock_is_due(const struct entry *e, uint64_t now_ns,
			 uint64_t unix_ms)
{
	int64_t second = (int64_t)(unix_ms / 1000);
	unsigned step = MAX(e->interval_ms * EARLY_PERCENT / 100 / 1000, 1U);

	if (unix_ms % 1000 >= SCHEDULE_CLOCK_MS)
		return now_ns >= late_from(e) && !is_over(e, now_ns);
	return second < e->sent_s || second - e->sent_s >= step ||
	       now_ns - e->sent_ns >= step * SECOND_NS - SECOND_NS / 2;
}

static bool send_clock(struct schedule *s, struct entry *e, uint64_t now_ns,
		       uint64_t unix_ms, struct schedule_due *ret)
{
	size_t len;

	e->sent_s = (int64_t)(unix_ms / 1000);
	e->sent_ns = e->from_ns = now_ns;
	s->late_ns = 0;
	len = e->clock(e->sent_s, e->arg, s->clock);
	*ret = (struct schedule_due){ e->pid, true, SCHEDULE_TABLE, s->clock,
				      len };
	return len > 0;
}

/* --- the rate of the EIT --- */

void schedule_set_eit_rate(struct schedule *s, unsigned kbps)
{
	s->eit_kbps = kbps;
	s->idle_ns = 0;
}

/* Adds up the bit rates at which the EIT are sent: present/following after
 * EARLY_PERCENT of its interval, schedules at their intervals. */
unsigned schedule_eit_need(const struct schedule *s)
{
	uint64_t sum = 0; /* sum of the rates in bit/s */

	for (size_t i = 0; i < s->n; i++) {
		const struct entry *e = &s->entries[i];
		uint64_t percent = s->lines[i].guide ? 100 : EARLY_PERCENT;

		if (e->class != SCHEDULE_TABLE && e->n > 0)
			sum += e->packets * TS_PACKET * 8 * 1000 * 100 /
			       (e->interval_ms * percent);
	}
	return (unsigned)((sum + 999) / 1000);
}

/* --- tables --- */

static void send_section(struct schedule *s, size_t i, uint64_t now_ns,
			 struct schedule_due *ret)
{
	struct line *l = &s->lines[i];
	struct entry *e = &s->entries[i];
	uint64_t step = e->interval_ms * MS * EARLY_PERCENT / 100 / e->n;
	uint64_t period = MAX(step, SCHEDULE_GAP_MS * MS);
	size_t at = e->next > 0 ? e->ends[e->next - 1] : 0;

	*ret = (struct schedule_due){ e->pid, false, e->class, e->data + at,
				      e->ends[e->next] - at };
	e->next = (e->next + 1) % e->n;
	if (e->fresh > 1)
		period = SCHEDULE_GAP_MS * MS;
	e->fresh -= e->fresh > 0;
	/* The next time counts from the time that was due, so that delays do
	 * not add up; after a delay of a period or more it counts from now. */
	l->due_ns = (now_ns - l->due_ns < period ? l->due_ns : now_ns) +
		    period;
	e->sent_ns = now_ns;
	/* no part of the sub-table is due before SCHEDULE_GAP_MS from now */
	for (size_t k = 0; k < s->n; k++)
		if (s->lines[k].key >> 16 == l->key >> 16)
			s->lines[k].due_ns = MAX(s->lines[k].due_ns,
						 now_ns + SCHEDULE_GAP_MS * MS);
	if (e->class != SCHEDULE_TABLE && s->eit_kbps != 0) {
		uint64_t bits = section_packets(ret->len) * TS_PACKET * 8;

		s->paid_ns = MAX(s->paid_ns, now_ns) +
			     bits * 1000000 / s->eit_kbps;
		s->paid_ns = MIN(s->paid_ns, now_ns + DEBT_MAX_MS * MS);
	}
}

static bool next_clock(struct schedule *s, uint64_t now_ns, uint64_t unix_ms,
		       struct schedule_due *ret)
{
	uint64_t late_ns = UINT64_MAX;

	if (unix_ms % 1000 >= SCHEDULE_CLOCK_MS && now_ns < s->late_ns)
		return false;
	for (size_t i = 0; i < s->n && s->n_clocks > 0; i++) {
		struct entry *e = &s->entries[i];

		if (e->clock == NULL)
			continue;
		if (clock_is_due(e, now_ns, unix_ms) &&
		    send_clock(s, e, now_ns, unix_ms, ret))
			return true;
		/* after a silence, and at the start, packets early in a second
		 * may still arrive */
		if (is_over(e, now_ns))
			e->from_ns = now_ns;
		if (late_from(e) > now_ns)
			late_ns = MIN(late_ns, late_from(e));
	}
	s->late_ns = late_ns;
	return false;
}

/* Is a sent before b?  EIT schedules are sent behind all other tables;
 * otherwise the table that was due earlier is sent first. */
static bool precedes(const struct line *a, const struct line *b)
{
	return a->guide != b->guide ? b->guide : a->due_ns < b->due_ns;
}

bool schedule_next(struct schedule *s, uint64_t now_ns, uint64_t unix_ms,
		   bool without_guide, struct schedule_due *ret)
{
	const struct line *first = NULL;
	uint64_t idle_ns = UINT64_MAX;
	uint64_t guide_ns = s->eit_kbps > 0 ? s->paid_ns : 0;

	if (next_clock(s, now_ns, unix_ms, ret))
		return true;
	if (now_ns < s->idle_ns)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct line *l = &s->lines[i];
		uint64_t due_ns = l->guide ? MAX(l->due_ns, guide_ns)
					   : l->due_ns;

		idle_ns = MIN(idle_ns, due_ns);
		if (due_ns <= now_ns && !(without_guide && l->guide) &&
		    (first == NULL || precedes(l, first)))
			first = l;
	}
	s->idle_ns = first == NULL ? idle_ns : 0;
	if (first == NULL)
		return false;
	send_section(s, (size_t)(first - s->lines), now_ns, ret);
	return true;
}
