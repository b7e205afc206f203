/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The segments of a stream whose process died. */
#include "common/base/alloc.h"
#include "tests/unit/worker/output/ring_hls_rig.h"

#include <unistd.h>

/* The process died in a segment, and another one began later. */
Test(ring_death, the_death_of_the_writer_is_no_time_of_its_segment)
{
	struct ring_segments list;
	struct ring_segment last;
	struct rig r;

	rig_init(&r);
	use_parts(&r, 0);
	live(&r, 0, 3000);
	use_parts(&r, 0);
	live(&r, 9000, 11500);
	last = newest(&r, &list);
	cr_assert_eq(list.n, 3);
	/* the last picture may be torn */
	cr_assert_eq(list.list[1].duration_ms, 960);
	cr_assert(list.list[1].stopped);
	cr_assert_eq(last.base, list.list[1].base + 1);
	cr_assert_eq(last.duration_ms, 2000);
	cr_assert_eq(list.target_s, 2);
	rig_done(&r);
}

/* As use_parts(), but the process dies: it publishes nothing. */
static void die(struct rig *r)
{
	char *header = xmalloc(RING_DATA);

	cr_assert_eq(pread(r->fd, header, RING_DATA, 0), RING_DATA);
	ring_out_free(&r->out);
	cr_assert_eq(pwrite(r->fd, header, RING_DATA, 0), RING_DATA);
	free(header);
	use_parts(r, 0);
}

/* The first packets of a picture. */
static void begin_picture(struct rig *r, uint64_t ms)
{
	struct ts_run run;

	r->in->n = 0;
	add_picture(r, ms);
	r->in->n--;
	run = build_run(r->in);
	ring_out_feed(r->out, &run, 1, START + ms * MS);
	ring_out_publish(r->out);
}

static uint64_t published(const struct rig *r)
{
	bool ok;

	return ring_reader_pos(r->reader, &ok);
}

/* The second segment ends in front of the torn picture, behind its PCR, and the
 * third one is a discontinuity. */
static void expect_cut(const struct rig *r, uint64_t torn, uint32_t ms)
{
	struct ring_segments list;

	(void)newest(r, &list);
	cr_assert_eq(list.n, 3);
	cr_assert(list.list[1].stopped);
	cr_assert_eq(list.list[1].end, torn + TS_PACKET);
	cr_assert_eq(list.list[1].duration_ms, ms);
	cr_assert_gt(list.list[2].pos, torn + TS_PACKET);
	cr_assert(list.list[2].independent);
	cr_assert_eq(list.list[2].base, list.list[1].base + 1);
	cr_assert_eq(list.target_s, 2);
}

/* The process is killed, or ends: its successor enters at a random access
 * point, a moment later. */
Test(ring_death, a_picture_in_which_the_writer_ended_is_in_no_segment)
{
	for (unsigned killed = 0; killed < 2; killed++) {
		uint64_t torn;
		struct rig r;

		rig_init(&r);
		use_parts(&r, 0);
		live(&r, 0, 3480);
		torn = published(&r);
		begin_picture(&r, 3480);
		if (killed)
			die(&r);
		else
			use_parts(&r, 0);
		live(&r, 4000, 6500);
		expect_cut(&r, torn, 1480);
		rig_done(&r);
	}
}

/* The pictures behind it were never published. */
Test(ring_death, a_torn_picture_is_found_in_front_of_others)
{
	uint64_t torn;
	struct ts_run run;
	struct rig r;

	rig_init(&r);
	use_parts(&r, 0);
	live(&r, 0, 3480);
	torn = published(&r);
	begin_picture(&r, 3480);
	r.in->n = 0;
	(void)build_payload(r.in, VIDEO, 1);
	for (uint64_t ms = 3520; ms < 3680; ms += 40)
		add_picture(&r, ms);
	run = build_run(r.in);
	ring_out_feed(r.out, &run, 1, START + 3680 * MS);
	die(&r);
	live(&r, 4000, 6500);
	expect_cut(&r, torn, 1480);
	rig_done(&r);
}

/* Pictures of a second: the target stays that of whole ones. */
Test(ring_death, a_torn_picture_is_no_time_of_its_segment)
{
	struct ring_segments list;
	struct rig r;

	rig_init(&r);
	use_parts(&r, 0);
	r.gop_ms = 2000;
	for (uint64_t ms = 0; ms < 6000; ms += 1000) {
		r.in->n = 0;
		burst(&r, ms, ms + 40, ms);
	}
	begin_picture(&r, 6000);
	die(&r);
	for (uint64_t ms = 8000; ms < 12000; ms += 1000)
		burst(&r, ms, ms + 40, ms);
	(void)newest(&r, &list);
	cr_assert_eq(list.target_s, 2);
	for (size_t i = 0; i < list.n; i++)
		cr_assert_leq(list.list[i].duration_ms, 2000);
	rig_done(&r);
}

/* Nobody could read the segment that begins with it. */
Test(ring_death, a_segment_that_begins_with_the_torn_picture_does_not_count)
{
	struct ring_segments list;
	uint64_t torn;
	struct rig r;

	rig_init(&r);
	use_parts(&r, 0);
	live(&r, 0, 4000);
	torn = published(&r);
	begin_picture(&r, 4000);
	die(&r);
	live(&r, 5000, 7500);
	(void)newest(&r, &list);
	cr_assert_eq(list.n, 3);
	cr_assert(list.list[1].stopped);
	cr_assert_eq(list.list[1].duration_ms, 2000);
	cr_assert_leq(list.list[1].end, torn + TS_PACKET);
	cr_assert_gt(list.list[2].pos, torn + TS_PACKET);
	cr_assert_eq(list.list[2].number, list.list[1].number + 1);
	cr_assert_eq(list.list[2].base, list.list[1].base + 1);
	rig_done(&r);
}

/* Its second writer continues the picture. */
Test(ring_death, a_picture_that_goes_on_is_not_torn)
{
	struct ring_segments list;
	struct ts_run run;
	struct rig r;

	rig_init(&r);
	use_parts(&r, 0);
	live(&r, 0, 3480);
	begin_picture(&r, 3480);
	ring_out_goes_on(r.out);
	use_parts(&r, 0);
	r.in->n = 0;
	(void)build_payload(r.in, VIDEO, 1);
	run = build_run(r.in);
	ring_out_feed(r.out, &run, 1, START + 3490 * MS);
	live(&r, 3520, 6500);
	(void)newest(&r, &list);
	cr_assert_eq(list.n, 3);
	for (size_t i = 0; i < list.n; i++)
		cr_assert_not(list.list[i].stopped);
	rig_done(&r);
}

Test(ring_death, the_first_segment_has_the_numbers_of_the_ring)
{
	const uint64_t base = RING_NUMBER_MAX / 2;
	struct ring_segments list;
	struct rig r;

	rig_init(&r);
	cr_assert_eq(ring_set_least(r.fd, base, base + 5), 0);
	use_parts(&r, 0);
	live(&r, 0, 4500);
	cr_assert_eq(newest(&r, &list).base, base);
	cr_assert_eq(list.list[0].number, base + 5);
	cr_assert_eq(ring_reader_base(r.reader), base);
	cr_assert_geq(ring_reader_number(r.reader), base + 5 + list.n);
	rig_done(&r);
}
