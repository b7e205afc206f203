/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/eit_build.h"

#include "common/base/alloc.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum {
	DAY_S = 24 * 3600,
	SEGMENT_S = 3 * 3600,
	SEGMENTS = 32, /* of a table: four days */
	SECTIONS = 8, /* of a segment */
	TABLES = 8,
	SEGMENT_LAST_AT = 12, /* place of segment_last_section_number */
	RUNNING = 4, NOT_RUNNING = 1, /* running_status */
};

static void begin(struct section_writer *w, uint8_t *memory,
		  const struct eit_format *f, const struct section_head *head,
		  uint8_t last_table)
{
	struct section_head h = *head;

	h.dvb = true;
	h.extension = f->sid;
	h.version = f->version;
	h.limit = SECTION_MAX;
	section_begin(w, memory, &h);
	write_u16(w, f->tsid);
	write_u16(w, f->onid);
	write_u8(w, h.last);
	write_u8(w, last_table);
}

/* --- present and following --- */

/* The first event that is not over. */
static size_t find_present(struct eit_events e, int64_t now_s)
{
	size_t i = 0;

	while (i < e.n && guide_event_end(e.list[i]) <= now_s)
		i++;
	return i;
}

static bool is_present(struct eit_events e, size_t i, int64_t now_s)
{
	return i < e.n && e.list[i]->start_s <= now_s;
}

int64_t eit_next_change(struct eit_events e, int64_t now_s)
{
	size_t i = find_present(e, now_s);

	if (i == e.n)
		return INT64_MAX;
	return is_present(e, i, now_s) ? guide_event_end(e.list[i])
				       : e.list[i]->start_s;
}

size_t eit_build_present(const struct eit_format *f, struct eit_events e,
			 int64_t now_s, unsigned number,
			 uint8_t ret[SECTION_MAX])
{
	size_t i = find_present(e, now_s), cut = 0;
	bool present = is_present(e, i, now_s);
	uint8_t event[EVENT_MAX];
	struct section_writer w;

	begin(&w, ret, f, &(struct section_head){
		.table_id = EIT_TABLE_ID, .number = (uint8_t)number,
		.last = 1 }, EIT_TABLE_ID);
	if (number == 1)
		i += present;
	if (i < e.n && (number == 1 || present))
		write_bytes(&w, event,
			    event_write(e.list[i], &f->event,
					number == 0 ? RUNNING : NOT_RUNNING,
					event, &cut));
	return section_end(&w);
}

/* --- schedule --- */

struct segment {
	size_t n; /* sections */
	size_t lens[SECTIONS];
	uint8_t bytes[SECTIONS][SECTION_MAX];
};

struct builder {
	const struct eit_format *format;
	struct eit_events events;
	int64_t midnight_s; /* of the present day */
	unsigned last_table; /* from 0 */
	eit_section_fn *emit;
	void *arg;
	struct eit_built built;
	struct segment segment;
};

static int64_t begin_of(const struct builder *b, unsigned table,
			unsigned segment)
{
	return b->midnight_s + (int64_t)(table * SEGMENTS + segment) *
				       SEGMENT_S;
}

static size_t place_of(const struct builder *b, int64_t start_s)
{
	size_t low = 0, high = b->events.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->events.list[middle]->start_s < start_s)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void end_section(struct segment *s, struct section_writer *w)
{
	s->lens[s->n++] = section_end(w);
}

/* Writes the sections of the segment, whose last numbers are not known yet. */
static void lay_out(struct builder *b, unsigned table, unsigned segment)
{
	struct segment *s = &b->segment;
	size_t i = place_of(b, begin_of(b, table, segment));
	size_t end = place_of(b, begin_of(b, table, segment + 1));
	struct section_head head = {
		.table_id = (uint8_t)(EIT_SCHEDULE_TABLE_ID + table),
		.number = (uint8_t)(segment * SECTIONS) };
	uint8_t last = (uint8_t)(EIT_SCHEDULE_TABLE_ID + b->last_table);
	uint8_t event[EVENT_MAX];
	struct section_writer w;

	s->n = 0;
	begin(&w, s->bytes[0], b->format, &head, last);
	for (; i < end; i++) {
		size_t len = event_write(b->events.list[i], &b->format->event,
					 0, event, &b->built.cut);

		if (!write_fits(&w, len)) {
			if (s->n + 1 == SECTIONS)
				break;
			end_section(s, &w);
			head.number++;
			begin(&w, s->bytes[s->n], b->format, &head, last);
		}
		write_bytes(&w, event, len);
	}
	end_section(s, &w);
	b->built.dropped += end - i;
}

/* The last segment of the table that has events; 0: none has. */
static unsigned last_segment(const struct builder *b, unsigned table)
{
	unsigned last = SEGMENTS - 1;

	while (last > 0 && place_of(b, begin_of(b, table, last)) ==
				   place_of(b, begin_of(b, table, last + 1)))
		last--;
	return last;
}

static void build_table(struct builder *b, unsigned table)
{
	unsigned last = last_segment(b, table);
	const struct eit_built before = b->built;
	size_t last_number;

	lay_out(b, table, last);
	b->built = before;
	last_number = last * SECTIONS + b->segment.n - 1;
	for (unsigned i = 0; i <= last; i++) {
		struct segment *s = &b->segment;

		lay_out(b, table, i);
		for (size_t k = 0; k < s->n; k++) {
			s->bytes[k][7] = (uint8_t)last_number;
			s->bytes[k][SEGMENT_LAST_AT] =
				(uint8_t)(i * SECTIONS + s->n - 1);
			section_seal(s->bytes[k], s->lens[k]);
			b->emit(s->bytes[k], s->lens[k], b->arg);
			b->built.sections++;
		}
	}
}

struct eit_built eit_build_schedule(const struct eit_format *f,
				    struct eit_events events, int64_t now_s,
				    eit_section_fn *emit, void *arg)
{
	struct builder *b = xcalloc(1, sizeof *b);
	struct eit_built built;

	b->format = f;
	b->events = events;
	b->midnight_s = now_s - now_s % DAY_S;
	b->emit = emit;
	b->arg = arg;
	b->last_table = TABLES - 1;
	while (b->last_table > 0 &&
	       place_of(b, begin_of(b, b->last_table, 0)) ==
		       place_of(b, begin_of(b, b->last_table + 1, 0)))
		b->last_table--;
	for (unsigned i = 0; i <= b->last_table; i++)
		build_table(b, i);
	built = b->built;
	free(b);
	return built;
}
