/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/section_schedule.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* The places of a stream are some milliseconds apart: sections are
	 * sent earlier, so that no interval is exceeded. */
	EARLY_PERCENT = 90,
};

struct entry {
	struct schedule_key key;
	unsigned interval_ms;
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
	size_t n;
	struct entry entries[SCHEDULE_TABLES_MAX];
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
	e->n = e->next = 0;
}

void schedule_free(struct schedule **s)
{
	for (size_t i = 0; *s != NULL && i < (*s)->n; i++)
		drop_sections(&(*s)->entries[i]);
	free(*s);
	*s = NULL;
}

static struct entry *find(struct schedule *s, const struct schedule_key *key)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct schedule_key *k = &s->entries[i].key;

		if (k->pid == key->pid && k->table_id == key->table_id &&
		    k->extension == key->extension)
			return &s->entries[i];
	}
	return NULL;
}

static struct entry *find_or_add(struct schedule *s,
				 const struct schedule_key *key)
{
	struct entry *e = find(s, key);

	if (e == NULL && s->n < SCHEDULE_TABLES_MAX) {
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
	}
	e->n = n;
	e->due_ns = e->sent_ns > 0 ? e->sent_ns + SCHEDULE_GAP_MS * MS : 0;
}

bool schedule_set(struct schedule *s, const struct schedule_key *key,
		  unsigned interval_ms, const struct schedule_section *list,
		  size_t n)
{
	struct entry *e = n > 0 ? find_or_add(s, key) : find(s, key);

	if (n > SCHEDULE_SECTIONS_MAX)
		return false;
	if (e == NULL)
		return n == 0;
	if (n == 0) {
		drop_sections(e);
		*e = s->entries[--s->n];
		return true;
	}
	e->interval_ms = interval_ms;
	if (!is_same(e, list, n))
		take_sections(e, list, n);
	return true;
}

bool schedule_set_clock(struct schedule *s, const struct schedule_key *key,
			unsigned interval_ms, schedule_clock_fn *clock,
			void *arg)
{
	struct entry *e = find_or_add(s, key);

	if (e == NULL)
		return false;
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
	*ret = (struct schedule_due){ e->key.pid, true, s->clock, len };
	return len > 0;
}

static void send_section(struct entry *e, uint64_t now_ns,
			 struct schedule_due *ret)
{
	uint64_t step = e->interval_ms * MS * EARLY_PERCENT / 100 / e->n;
	uint64_t period = MAX(step, SCHEDULE_GAP_MS * MS);
	size_t at = e->next > 0 ? e->ends[e->next - 1] : 0;

	*ret = (struct schedule_due){ e->key.pid, false, e->data + at,
				      e->ends[e->next] - at };
	e->next = (e->next + 1) % e->n;
	/* a little lateness does not add up; a long one is no debt */
	e->due_ns = (now_ns - e->due_ns < period ? e->due_ns : now_ns) +
		    period;
	e->sent_ns = now_ns;
	e->due_ns = MAX(e->due_ns, now_ns + SCHEDULE_GAP_MS * MS);
}

bool schedule_next(struct schedule *s, uint64_t now_ns, uint64_t unix_ms,
		   struct schedule_due *ret)
{
	struct entry *earliest = NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct entry *e = &s->entries[i];

		if (e->clock != NULL) {
			if (clock_is_due(e, unix_ms) &&
			    send_clock(s, e, unix_ms, ret))
				return true;
		} else if (e->n > 0 && e->due_ns <= now_ns &&
			   (earliest == NULL ||
			    e->due_ns < earliest->due_ns)) {
			earliest = e;
		}
	}
	if (earliest == NULL)
		return false;
	send_section(earliest, now_ns, ret);
	return true;
}
