/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes events that a new version of their section of a schedule no longer
 * contains. */
#include "worker/epg/guide_state.h"

/* Segments of a schedule begin at midnight UTC of the present day (ETSI TS 101
 * 211 4.1.4). */
enum {
	DAY_S = 24 * 3600,
	SEGMENT = 8, /* sections of a segment */
	SEGMENT_S = 3 * 3600,
	TABLE_SEGMENTS = SECTIONS / SEGMENT,
	TABLES_OF_STREAM = 16, /* table_ids of the schedule of a transport
				* stream */
};

uint16_t guide_source_of(const struct eit *eit, unsigned number)
{
	unsigned table = (unsigned)(eit->table_id - EIT_SCHEDULE_TABLE_ID);

	return eit->schedule ? (uint16_t)(1 + table * SECTIONS + number) : 0;
}

/* Does the event begin in the segment that its section has now?  If not, the
 * section was received before midnight UTC: since then its events are in
 * sections with lower numbers, which may not have been received yet. */
static bool is_in_segment(const struct guide_event *e, int64_t now_s)
{
	int64_t segment = (e->source - 1) / SEGMENT %
			  (TABLES_OF_STREAM * TABLE_SEGMENTS);
	int64_t from_s = now_s - now_s % DAY_S + segment * SEGMENT_S;

	return e->start_s >= from_s && e->start_s < from_s + SEGMENT_S;
}

/* Does this version of a section of the table show that the event, which the
 * table had contained, is no longer in it? */
static bool is_gone(const struct guide_event *e, const struct eit *eit,
		    int64_t now_s)
{
	unsigned first = guide_source_of(eit, 0);
	unsigned number = e->source - first;

	if (e->source < first || number >= SECTIONS || e->start_s <= now_s ||
	    !is_in_segment(e, now_s))
		return false;
	if (number == eit->number)
		return true;
	return number > eit->number &&
	       (number > eit->last_number ||
		(number / SEGMENT == eit->number / SEGMENT &&
		 number > eit->segment_last));
}

bool guide_remove_gone(struct guide *g, struct service *s,
		       const struct eit *eit, int64_t now_s)
{
	bool removed = false;

	if (!eit->schedule || eit->events.cut)
		return false;
	g->work += s->n * WORK_LOOK;
	for (size_t i = s->n; i > 0; i--) {
		const struct guide_event *e = s->events[i - 1];

		if (e->round == g->round || !is_gone(e, eit, now_s))
			continue;
		guide_remove_events(g, s, i - 1, 1, GUIDE_ALL);
		removed = true;
	}
	/* another section may still contain the event, or events that it had
	 * replaced */
	if (removed)
		guide_forget_sections(g, s);
	return removed;
}
