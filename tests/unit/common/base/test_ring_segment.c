/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/ring_segment.h"

#include "common/base/ring_header.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PACKETS = 100, SIZE = 4 * RING_UNIT };

struct rig {
	int fd;
	struct ring_writer *writer;
	struct ring_reader *reader;
	struct ring_segment open;
	bool begun;
};

static void rig_init(struct rig *r)
{
	int err;

	*r = (struct rig){ .fd = ring_create(SIZE, 0) };
	r->writer = ring_writer_new(r->fd, &err);
	r->reader = ring_reader_new(r->fd, &err);
	cr_assert(r->writer != NULL && r->reader != NULL);
	r->open = (struct ring_segment){ .number = 1000, .base = 1000,
					 .wall_ms = 5000,
					 .independent = true };
}

static void rig_done(struct rig *r)
{
	ring_reader_free(&r->reader);
	ring_writer_free(&r->writer);
	(void)close(r->fd);
}

static void put(struct rig *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t room;

		memset(ring_room(r->writer, &room), 0x47, RING_PACKET);
		ring_commit(r->writer, 1);
	}
	ring_publish(r->writer);
}

static void cut(struct rig *r)
{
	struct ring_segment done = r->open;
	bool ends = r->begun;

	done.end = ring_writer_pos(r->writer);
	done.duration_ms = 3000;
	if (ends) {
		r->open.number++;
		r->open.wall_ms += 3000;
	}
	r->open.pos = ring_writer_pos(r->writer);
	ring_segment_cut(r->writer, ends ? &done : NULL, &r->open);
	r->begun = true;
}

Test(ring_segment, readers_get_the_complete_segments_in_order)
{
	struct rig r;
	struct ring_segments list;

	rig_init(&r);
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert(list.n == 0 && !list.has_open);
	cut(&r);
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert(list.n == 0 && list.has_open);
	cr_assert_eq(list.open.number, 1000);
	for (unsigned i = 0; i < 5; i++) {
		put(&r, PACKETS);
		cut(&r);
	}
	ring_segment_target(r.writer, 3);
	ring_segment_target(r.writer, 2);
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert_eq(list.n, 5);
	for (unsigned i = 0; i < 5; i++) {
		cr_assert_eq(list.list[i].number, 1000 + i);
		cr_assert_eq(list.list[i].pos, i * PACKETS * RING_PACKET);
		cr_assert_eq(list.list[i].end, (i + 1) * PACKETS * RING_PACKET);
		cr_assert_eq(list.list[i].wall_ms, 5000 + 3000 * i);
		cr_assert(list.list[i].independent);
	}
	cr_assert_eq(list.target_s, 3);
	rig_done(&r);
}

Test(ring_segment, only_segments_that_begin_in_the_ring_count)
{
	struct rig r;
	struct ring_segments list;

	rig_init(&r);
	for (unsigned i = 0; i < 10; i++) {
		cut(&r);
		put(&r, PACKETS);
	}
	ring_reader_segments(r.reader, 5 * PACKETS * RING_PACKET, &list);
	cr_assert_eq(list.n, 4);
	cr_assert_eq(list.list[0].number, 1005);
	rig_done(&r);
}

Test(ring_segment, the_table_has_the_newest)
{
	struct rig r;
	struct ring_segments list;

	rig_init(&r);
	for (unsigned i = 0; i < 3 * RING_SEGMENTS; i++) {
		cut(&r);
		put(&r, 1);
	}
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert_eq(list.n, RING_SEGMENTS - 1);
	cr_assert_eq(list.open.number, 1000 + 3 * RING_SEGMENTS - 1);
	cr_assert_eq(list.list[list.n - 1].number, list.open.number - 1);
	rig_done(&r);
}

Test(ring_segment, a_successor_continues_the_open_segment)
{
	struct rig r;
	struct ring_segment last;
	int err;

	rig_init(&r);
	cr_assert_not(ring_writer_segment(r.writer, &last));
	cut(&r);
	put(&r, PACKETS);
	cut(&r);
	put(&r, PACKETS);
	ring_writer_free(&r.writer);
	r.writer = ring_writer_new(r.fd, &err);
	cr_assert(ring_writer_segment(r.writer, &last));
	cr_assert_eq(last.number, 1001);
	cr_assert_eq(last.pos, PACKETS * RING_PACKET);
	rig_done(&r);
}

Test(ring_segment, a_stopped_segment_has_a_gap_behind_it)
{
	struct rig r;
	struct ring_segments list;
	struct ring_segment done, last;
	int err;

	rig_init(&r);
	cut(&r);
	put(&r, PACKETS);
	ring_segment_advance(r.writer, 1234);
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert(list.has_open && list.n == 0);
	cr_assert(ring_writer_segment(r.writer, &last));
	cr_assert_eq(last.duration_ms, 1234);
	done = r.open;
	done.end = ring_writer_pos(r.writer);
	done.duration_ms = 2000;
	done.stopped = true;
	ring_segment_stop(r.writer, &done);
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert(!list.has_open && list.n == 1);
	cr_assert(list.list[0].stopped && list.list[0].independent);
	/* the next writer continues the numbers */
	ring_writer_free(&r.writer);
	r.writer = ring_writer_new(r.fd, &err);
	cr_assert(ring_writer_segment(r.writer, &last));
	cr_assert_eq(last.number, done.number);
	cr_assert_eq(last.end, done.end);
	/* packets of no segment */
	put(&r, PACKETS);
	r.open.number++;
	r.open.base++;
	r.open.pos = ring_writer_pos(r.writer);
	ring_segment_cut(r.writer, NULL, &r.open);
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert(list.has_open && list.n == 1);
	/* only behind a stop */
	done.stopped = false;
	r.writer->header->segments[0].flags = RING_INDEPENDENT;
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert(list.has_open && list.n == 0);
	rig_done(&r);
}

/* What a hostile writer can write, each with what readers make of it. */
Test(ring_segment, readers_believe_no_number)
{
	static const uint64_t odd[] = { 0, 1, RING_PACKET, UINT64_MAX,
					INT64_MAX, UINT64_C(1) << 53 };

	for (size_t field = 0; field < 9; field++)
		for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
			struct rig r;
			struct ring_segments list;
			_Atomic uint64_t *word;
			struct ring_segment_entry *e;

			rig_init(&r);
			for (unsigned k = 0; k < 4; k++) {
				cut(&r);
				put(&r, PACKETS);
			}
			e = &r.writer->header->segments[1];
			word = &e->number + field;
			*word = odd[i];
			ring_reader_segments(r.reader, SIZE, &list);
			for (size_t k = 0; k < list.n; k++) {
				const struct ring_segment *s = &list.list[k];

				cr_assert_lt(s->pos, s->end);
				cr_assert_leq(s->end, 4 * PACKETS *
						      RING_PACKET);
				cr_assert_leq(s->number, RING_NUMBER_MAX);
				cr_assert_geq(s->wall_ms, 0);
				cr_assert_gt(s->duration_ms, 0);
				cr_assert_leq(s->duration_ms,
					      RING_SEGMENT_MAX_MS);
				cr_assert(k == 0 ||
					  s[-1].number + 1 == s->number);
			}
			/* the segments behind it are not concerned */
			cr_assert(list.has_open && list.n >= 1);
			rig_done(&r);
		}
}

/* The writer has lost the processor while it ends a segment. */
Test(ring_segment, a_segment_that_is_being_ended_hides_no_other_one)
{
	struct ring_segments list;
	struct rig r;

	rig_init(&r);
	for (unsigned i = 0; i < 4; i++) {
		put(&r, PACKETS);
		cut(&r);
	}
	put(&r, PACKETS);
	atomic_fetch_or(&r.writer->header->segments[3].seq, 1);
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert_eq(list.n, 3);
	cr_assert_eq(list.list[2].number, 1002);
	cr_assert(list.changes && !list.has_open);
	rig_done(&r);
}

Test(ring_segment, a_broken_ring_has_none)
{
	struct rig r;
	struct ring_segments list;

	rig_init(&r);
	for (unsigned k = 0; k < 4; k++) {
		cut(&r);
		put(&r, PACKETS);
	}
	r.writer->header->pos = 1;
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert_eq(list.n, 0);
	r.writer->header->target_s = UINT64_MAX;
	ring_reader_segments(r.reader, SIZE, &list);
	cr_assert_leq(list.target_s, RING_TARGET_MAX_S);
	rig_done(&r);
}

/* The writer is killed between any two of its stores. */
Test(ring_segment, the_torn_unit_begins_in_front_of_the_published_end)
{
	struct rig r;
	uint64_t begin, end, pos = 0;
	uint32_t ms = 0;
	int err;

	rig_init(&r);
	cut(&r);
	put(&r, PACKETS);
	cr_assert_not(ring_unit_torn(r.writer, &pos, &ms));
	begin = ring_writer_pos(r.writer);
	ring_unit_begin(r.writer, 40);
	/* no byte of it */
	ring_publish(r.writer);
	cr_assert_not(ring_unit_torn(r.writer, &pos, &ms));
	put(&r, PACKETS);
	end = ring_writer_pos(r.writer);
	ring_unit_begin(r.writer, 80);
	put(&r, PACKETS);
	for (unsigned at = 0; at < 3; at++) {
		struct ring_writer *next;

		/* at 0 nothing of the newer unit is published */
		atomic_store(&r.writer->header->pos,
			     at == 1 ? begin + RING_PACKET : end);
		if (at == 2)
			atomic_store(&r.writer->header->units[0].pos, 0);
		next = ring_writer_new(r.fd, &err);
		cr_assert_eq(ring_unit_torn(next, &pos, &ms), at > 0);
		cr_assert(at == 0 || (pos == begin && ms == 40));
		ring_writer_free(&next);
	}
	rig_done(&r);
}

static struct ring_segment_entry *tear(struct rig *r, size_t i)
{
	struct ring_segment_entry *e = &r->writer->header->segments[i];

	atomic_fetch_or(&e->seq, 1);
	return e;
}

/* A writer is killed while it ends a segment. */
Test(ring_segment, the_next_base_is_greater_than_that_of_a_torn_entry)
{
	struct ring_segment_entry *e;
	struct rig r;

	rig_init(&r);
	cut(&r);
	put(&r, PACKETS);
	cr_assert_eq(ring_writer_base(r.writer), 1001u);
	(void)tear(&r, 0);
	cr_assert_eq(ring_reader_base(r.reader), 1000u, "the only one");
	cr_assert_eq(ring_writer_base(r.writer), 1001u);
	cut(&r);
	put(&r, PACKETS);
	cut(&r);
	cr_assert_eq(ring_writer_base(r.writer), 1001u);
	e = tear(&r, 2);
	cr_assert_eq(ring_writer_base(r.writer), 1002u);
	e->base = 1005;
	cr_assert_eq(ring_writer_base(r.writer), 1006u);
	/* a base that cannot be believed */
	e->base = UINT64_MAX;
	cr_assert_eq(ring_reader_base(r.reader), 1001u);
	(void)tear(&r, 1);
	cr_assert_eq(ring_reader_base(r.reader), 0u);
	rig_done(&r);
}
