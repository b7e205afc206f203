/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/eit_share.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/mux/lane.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum kind { PRESENT, SCHEDULE, KINDS };

enum {
	LENGTH = 2, /* bytes of the length in front of each queued section */
	/* If both kinds wait, this number of present/following bytes is sent
	 * for each byte of the schedule. */
	PRESENT_TIMES = 3,
	/* More sections than the lane can begin to send while the distance of a
	 * sub-table lasts. */
	LEFT_MAX = 32,
};

/* The sub-table of a section that was sent, and the time from which on its next
 * section may leave. */
struct left {
	uint64_t table; /* from table_of(); 0: the entry is free */
	uint64_t next_ns;
};

struct queue {
	struct buf sections;
	/* The bytes that this queue has sent.  A queue that was empty starts
	 * with at least the value of the queue that sent last, so that it does
	 * not catch up. */
	uint64_t sent;
};

struct eit_share {
	size_t n;
	struct queue *queues; /* n * KINDS queues: the KINDS of input 0, then
			       * those of input 1, ... */
	uint64_t *dropped;
	uint64_t sent[KINDS]; /* for each kind: `sent' of the queue that sent
			       * last */
	struct left left[LEFT_MAX]; /* the last LEFT_MAX sections that were
				     * sent, in a ring */
	size_t n_left;
	uint64_t present; /* bytes of PRESENT that were sent since the last
			   * section of SCHEDULE */
	uint8_t section[SECTION_MAX];
};

struct eit_share *eit_share_new(size_t n_inputs)
{
	struct eit_share *s = xcalloc(1, sizeof *s);

	s->n = n_inputs;
	s->queues = xcalloc(n_inputs * KINDS + 1, sizeof *s->queues);
	s->dropped = xcalloc(n_inputs + 1, sizeof *s->dropped);
	return s;
}

void eit_share_free(struct eit_share **p)
{
	struct eit_share *s = *p;

	*p = NULL;
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n * KINDS; i++)
		buf_done(&s->queues[i].sections);
	free(s->queues);
	free(s->dropped);
	free(s);
}

void eit_share_push(struct eit_share *s, size_t input, const uint8_t *section,
		    size_t len)
{
	enum kind kind = section_table_id(section) == EIT_TABLE_ID ? PRESENT
								   : SCHEDULE;
	struct queue *q = &s->queues[input * KINDS + kind];
	const uint8_t length[LENGTH] = { (uint8_t)(len >> 8), (uint8_t)len };

	if (len > SECTION_MAX ||
	    buf_len(&q->sections) + LENGTH + len > EIT_ROOM) {
		s->dropped[input]++;
		return;
	}
	if (buf_len(&q->sections) == 0)
		q->sent = MAX(q->sent, s->sent[kind]);
	buf_append(&q->sections, length, LENGTH);
	buf_append(&q->sections, section, len);
}

/* A number for the sub-table of the first section in a queue of an input. */
static uint64_t table_of(size_t input, const struct queue *q)
{
	const uint8_t *section = buf_at(&q->sections, LENGTH);

	return UINT64_C(1) << 63 | (uint64_t)input << 24 |
	       (uint64_t)section[0] << 16 | (uint64_t)section[3] << 8 |
	       section[4];
}

/* True if a section of this sub-table may leave at at_ns, because its previous
 * section left long enough before. */
static bool is_apart(const struct eit_share *s, uint64_t table, uint64_t at_ns)
{
	for (size_t i = 0; i < LEFT_MAX; i++)
		if (s->left[i].table == table && at_ns < s->left[i].next_ns)
			return false;
	return true;
}

static struct queue *find_next(const struct eit_share *s, enum kind kind,
			       uint64_t at_ns)
{
	struct queue *found = NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct queue *q = &s->queues[i * KINDS + kind];

		if (buf_len(&q->sections) > 0 &&
		    (found == NULL || q->sent < found->sent) &&
		    is_apart(s, table_of(i, q), at_ns))
			found = q;
	}
	return found;
}

/* The length in bytes of the first section of a queue, which is not empty. */
static size_t first_len(const struct queue *q)
{
	const uint8_t *head = buf_head(&q->sections);

	return (size_t)(head[0] << 8 | head[1]);
}

const uint8_t *eit_share_next(struct eit_share *s, uint64_t at_ns,
			      bool without_schedule, size_t *ret_len)
{
	struct queue *present = find_next(s, PRESENT, at_ns);
	struct queue *schedule =
		without_schedule ? NULL : find_next(s, SCHEDULE, at_ns);
	enum kind kind = schedule == NULL ||
			 (present != NULL &&
			  s->present < PRESENT_TIMES * first_len(schedule))
				 ? PRESENT : SCHEDULE;
	struct queue *q = kind == PRESENT ? present : schedule;

	if (q == NULL)
		return NULL;
	*ret_len = first_len(q);
	s->left[s->n_left++ % LEFT_MAX] = (struct left){
		table_of((size_t)(q - s->queues) / KINDS, q),
		at_ns + (section_packets(*ret_len) * LANE_SPACING_MS +
			 EIT_GAP_MS) * MS };
	memcpy(s->section, buf_at(&q->sections, LENGTH), *ret_len);
	buf_take(&q->sections, LENGTH + *ret_len);
	s->sent[kind] = q->sent;
	q->sent += *ret_len;
	s->present = kind == PRESENT ? s->present + *ret_len : 0;
	return s->section;
}

uint64_t eit_share_dropped(const struct eit_share *s, size_t input)
{
	return s->dropped[input];
}
