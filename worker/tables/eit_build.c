/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/eit_build.h"

#include "common/base/alloc.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum {
	DAY_S = 24 * 3600,
	SEGMENT_S = 3 * 3600,
	SEGMENTS = 32, /* segments of a table: four days */
	SECTIONS = 8, /* sections of a segment */
	SEGMENT_LAST_AT = 12, /* offset of segment_last_section_number */
	FLAGS_AT = EIT_EVENT_HEAD - 2,
	OTHER = 0x10, /* table_id of schedule other minus table_id of schedule
		       * actual */
	RUNNING = 4, NOT_RUNNING = 1, /* running_status */
	FREE_CA = 0x10,
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

static void put_event(struct section_writer *w, const struct eit_format *f,
		      const struct eit_item *e, unsigned running)
{
	unsigned flags = e->bytes[FLAGS_AT];
	unsigned free_ca = f->free_ca ? FREE_CA : 0;

	write_bytes(w, e->bytes, FLAGS_AT);
	if (f->other)
		free_ca = flags & FREE_CA;
	write_u8(w, running << 5 | free_ca | (flags & 0x0f));
	write_bytes(w, e->bytes + FLAGS_AT + 1, e->len - FLAGS_AT - 1U);
}

/* --- present and following --- */

/* The index of the first event that is not over; n: all are over. */
static size_t find_present(struct eit_items e, int64_t now_s)
{
	size_t i = 0;

	while (i < e.n && eit_item_end(&e.list[i]) <= now_s)
		i++;
	return i;
}

static bool is_present(struct eit_items e, size_t i, int64_t now_s)
{
	return i < e.n && e.list[i].start_s <= now_s;
}

/* The running_status of the present event: for another transport stream the one
 * in the event, if it is not 0; otherwise the one of the format. */
static unsigned running_of(const struct eit_format *f,
			   const struct eit_item *e)
{
	unsigned own = e->bytes[FLAGS_AT] >> 5;

	if (f->other && own != 0)
		return own;
	return f->running != 0 ? f->running : RUNNING;
}

int64_t eit_next_change(struct eit_items e, int64_t now_s)
{
	size_t i = find_present(e, now_s);

	if (i == e.n)
		return INT64_MAX;
	return is_present(e, i, now_s) ? eit_item_end(&e.list[i])
				       : e.list[i].start_s;
}

int64_t eit_next_segment(int64_t now_s)
{
	return now_s - now_s % SEGMENT_S + SEGMENT_S;
}

size_t eit_build_present(const struct eit_format *f, struct eit_items e,
			 int64_t now_s, unsigned number,
			 uint8_t ret[SECTION_MAX])
{
	uint8_t id = f->other ? EIT_OTHER_TABLE_ID : EIT_TABLE_ID;
	size_t i = find_present(e, now_s);
	bool present = is_present(e, i, now_s);
	struct section_writer w;

	begin(&w, ret, f, &(struct section_head){
		.table_id = id, .number = (uint8_t)number, .last = 1 }, id);
	if (number == 1)
		i += present;
	if (i < e.n && (number == 1 || present))
		put_event(&w, f, &e.list[i],
			  number == 0 ? running_of(f, &e.list[i])
				      : NOT_RUNNING);
	return section_end(&w);
}

/* --- schedule --- */

struct segment {
	size_t n; /* number of sections */
	size_t lens[SECTIONS];
	uint8_t bytes[SECTIONS][SECTION_MAX];
};

struct builder {
	const struct eit_format *format;
	struct eit_items events;
	int64_t midnight_s; /* Unix time of the begin of the present day in
			     * UTC */
	int64_t from_s; /* Unix time of the begin of the present segment */
	uint8_t first_id, last_id; /* first and last table_id of the schedule */
	struct eit_built built;
	struct segment segment;
};

static int64_t begin_of(const struct builder *b, unsigned table,
			unsigned segment)
{
	return b->midnight_s + (int64_t)(table * SEGMENTS + segment) *
				       SEGMENT_S;
}

static size_t place_of(struct eit_items events, int64_t start_s)
{
	size_t low = 0, high = events.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (events.list[middle].start_s < start_s)
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

/* Writes the sections of a segment.  build_table() sets last_section_number and
 * segment_last_section_number. */
static void lay_out(struct builder *b, unsigned table, unsigned segment)
{
	struct segment *s = &b->segment;
	size_t i = place_of(b->events, begin_of(b, table, segment));
	size_t end = place_of(b->events, begin_of(b, table, segment + 1));
	struct section_head head = {
		.table_id = (uint8_t)(b->first_id + table),
		.number = (uint8_t)(segment * SECTIONS) };
	struct section_writer w;

	if (begin_of(b, table, segment) < b->from_s)
		i = end;
	s->n = 0;
	begin(&w, s->bytes[0], b->format, &head, b->last_id);
	for (; i < end; i++) {
		const struct eit_item *e = &b->events.list[i];

		if (!write_fits(&w, e->len)) {
			if (s->n + 1 == SECTIONS)
				break;
			end_section(s, &w);
			head.number++;
			begin(&w, s->bytes[s->n], b->format, &head,
			      b->last_id);
		}
		put_event(&w, b->format, e, 0);
	}
	end_section(s, &w);
	b->built.dropped += end - i;
}

static void build_table(struct builder *b, unsigned table,
			eit_section_fn *emit, void *arg)
{
	unsigned last = SEGMENTS - 1;
	size_t last_number;

	/* to the last segment that has events */
	while (last > 0 &&
	       place_of(b->events, begin_of(b, table, last)) ==
		       place_of(b->events, begin_of(b, table, last + 1)))
		last--;
	lay_out(b, table, last);
	b->built = (struct eit_built){ 0 };
	last_number = last * SECTIONS + b->segment.n - 1;
	for (unsigned i = 0; i <= last; i++) {
		struct segment *s = &b->segment;

		lay_out(b, table, i);
		for (size_t k = 0; k < s->n; k++) {
			s->bytes[k][7] = (uint8_t)last_number;
			s->bytes[k][SEGMENT_LAST_AT] =
				(uint8_t)(i * SECTIONS + s->n - 1);
			section_seal(s->bytes[k], s->lens[k]);
			emit(s->bytes[k], s->lens[k], arg);
			b->built.sections++;
		}
	}
}

unsigned eit_tables(struct eit_items events, int64_t now_s)
{
	int64_t midnight_s = now_s - now_s % DAY_S;
	unsigned last = EIT_TABLES - 1;

	while (last > 0) {
		int64_t begin_s = midnight_s +
				  (int64_t)last * EIT_TABLE_DAYS * DAY_S;

		if (place_of(events, begin_s) !=
		    place_of(events, begin_s + EIT_TABLE_DAYS * DAY_S))
			break;
		last--;
	}
	return last + 1;
}

struct eit_built eit_build_table(const struct eit_format *f,
				 struct eit_items events, int64_t now_s,
				 unsigned table, eit_section_fn *emit,
				 void *arg)
{
	struct builder *b = xcalloc(1, sizeof *b);
	struct eit_built built;

	b->format = f;
	b->events = events;
	b->midnight_s = now_s - now_s % DAY_S;
	b->from_s = now_s - now_s % SEGMENT_S;
	b->first_id = (uint8_t)(EIT_SCHEDULE_TABLE_ID +
				(f->other ? OTHER : 0));
	b->last_id = (uint8_t)(b->first_id + eit_tables(events, now_s) - 1);
	build_table(b, table, emit, arg);
	built = b->built;
	free(b);
	return built;
}
