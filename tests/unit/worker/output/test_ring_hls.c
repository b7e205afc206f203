/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The segments that a stream has in its ring. */
#include "tests/unit/worker/output/ring_hls_rig.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* A second of pictures with one random access point. */
static void write_second(struct rig *r, unsigned second)
{
	struct ts_run run;

	r->in->n = 0;
	(void)build_pcr(r->in, VIDEO, second * UINT64_C(27000000));
	(void)build_pes(r->in, VIDEO, idr, sizeof idr);
	for (unsigned i = 0; i < 50; i++)
		(void)build_payload(r->in, VIDEO, (uint8_t)i);
	run = build_run(r->in);
	ring_out_feed(r->out, &run, 1, START + second * SECOND_NS);
}

Test(ring_hls, segments_begin_with_tables_and_a_picture)
{
	struct rig r;
	struct ring_segments list;
	uint8_t first[3 * TS_PACKET];
	int err;

	rig_init(&r);
	for (unsigned i = 0; i < 14; i++) {
		write_second(&r, i);
		ring_out_publish(r.out);
		ring_reader_segments(r.reader, RING_UNIT, &list);
		cr_assert_eq(list.n, i / 3);
		/* another writer continues in the middle of a segment */
		if (i != 7)
			continue;
		ring_out_goes_on(r.out);
		ring_out_free(&r.out);
		r.out = ring_out_new(r.fd, r.psi, &err);
		ring_out_set_hls(r.out, &(struct ring_out_hls){ 3000, 4, 0 });
	}
	cr_assert_eq(list.target_s, 3);
	/* a ring that cannot grow */
	cr_assert(ring_out_is_short(r.out));
	for (size_t i = 0; i < list.n; i++) {
		const struct ring_segment *s = &list.list[i];

		cr_assert_eq(s->duration_ms, 3000);
		cr_assert_eq(s->number, list.list[0].number + i);
		cr_assert_eq(s->base, list.list[0].base);
		cr_assert(s->independent);
		cr_assert_eq(pread(r.fd, first, sizeof first,
				   RING_DATA + (off_t)s->pos),
			     sizeof first);
		cr_assert_eq(ts_pid(first), TS_PID_PAT);
		cr_assert_eq(ts_pid(first + TS_PACKET), PMT);
		cr_assert(ts_pusi(first + 2 * TS_PACKET));
	}
	rig_done(&r);
}

static void expect_parts(struct rig *r, unsigned part_ms)
{
	struct ring_parts parts;

	ring_reader_parts(r->reader, 16 * RING_UNIT, &parts);
	cr_assert_gt(parts.n, 2);
	cr_assert_eq(parts.target_ms, part_ms);
	for (size_t i = 0; i < parts.n; i++) {
		const struct ring_part *p = &parts.list[i];
		bool last = i + 1 == parts.n || p[1].index == 0;

		cr_assert_leq(p->duration_ms, part_ms);
		cr_assert(last || p->duration_ms * 100 >= part_ms * 85,
			  "part %zu of %u ms", i, p->duration_ms);
	}
}

Test(ring_hls, a_burst_is_cut_by_the_time_of_its_pictures)
{
	struct rig r;
	struct ring_segments list;

	rig_init(&r);
	use_parts(&r, 500);
	/* seven seconds, up to five of them at once */
	burst(&r, 0, 1640, 0);
	expect_parts(&r, 500);
	burst(&r, 1640, 6600, 6600);
	burst(&r, 6600, 7000, 7000);
	expect_parts(&r, 500);
	ring_reader_segments(r.reader, 16 * RING_UNIT, &list);
	cr_assert_eq(list.n, 3);
	for (size_t i = 0; i < list.n; i++)
		cr_assert_eq(list.list[i].duration_ms, 2000);
	rig_done(&r);
}

/* The packets of the video behind a position; the first one begins a picture
 * that decodes. */
static void expect_entry(const struct rig *r, uint64_t pos)
{
	uint8_t first[4 * TS_PACKET];

	cr_assert_eq(pread(r->fd, first, sizeof first, RING_DATA + (off_t)pos),
		     sizeof first);
	cr_assert_eq(ts_pid(first), TS_PID_PAT);
	cr_assert_eq(ts_pid(first + TS_PACKET), PMT);
	cr_assert(ts_pusi(first + 2 * TS_PACKET));
	cr_assert_eq(memcmp(first + 3 * TS_PACKET - sizeof idr, idr,
			    sizeof idr), 0);
}

Test(ring_hls, an_outage_ends_the_segment_and_is_no_time_of_it)
{
	enum { SILENCE_MS = 20000 };

	for (unsigned anew = 0; anew <= 1; anew++) {
		const uint64_t back = 3400 + SILENCE_MS;
		struct ring_segments list;
		struct ring_segment last, next;
		struct rig r;
		uint64_t end;
		bool ok;

		rig_init(&r);
		use_parts(&r, 500);
		live(&r, 0, 3360);
		/* without the last picture, which may be incomplete */
		end = ring_reader_pos(r.reader, &ok);
		live(&r, 3360, 3400);
		/* it ends two seconds behind its last packet */
		cr_assert_eq(ring_out_next_ns(r.out), START + 5360 * MS);
		ring_out_feed(r.out, NULL, 0, START + 5400 * MS);
		ring_out_publish(r.out);
		last = newest(&r, &list);
		cr_assert_not(list.has_open);
		cr_assert(last.stopped);
		/* a PCR is in front of it */
		cr_assert_eq(last.end, end + RING_PACKET);
		cr_assert_eq(last.duration_ms, 1360);
		expect_parts(&r, 500);
		cr_assert_eq(ring_out_next_ns(r.out), UINT64_MAX);
		if (anew)
			use_parts(&r, 500);
		/* it returns within a group of pictures */
		live(&r, back, back + 2600);
		ring_reader_segments(r.reader, 16 * RING_UNIT, &list);
		cr_assert(list.has_open);
		cr_assert_eq(list.list[list.n - 1].number, last.number);
		live(&r, back + 2600, back + 3000);
		next = newest(&r, &list);
		cr_assert_eq(next.number, last.number + 1);
		cr_assert_eq(next.base, last.base + 1);
		cr_assert_gt(next.pos, last.end);
		cr_assert_eq(next.duration_ms, 2000);
		expect_entry(&r, next.pos);
		cr_assert_eq(list.target_s, 2, "as before");
		expect_parts(&r, 500);
		rig_done(&r);
	}
}

Test(ring_hls, tables_without_sound_and_pictures_are_an_outage)
{
	struct ring_segments list;
	struct rig r;

	rig_init(&r);
	use_parts(&r, 0);
	live(&r, 0, 2400);
	for (uint64_t ms = 2400; ms < 8000; ms += 100) {
		struct ts_run run;

		r.in->n = 0;
		build_tables(r.in);
		(void)build_null(r.in);
		run = build_run(r.in);
		ring_out_feed(r.out, &run, 1, START + ms * MS);
		ring_out_publish(r.out);
	}
	ring_reader_segments(r.reader, 16 * RING_UNIT, &list);
	cr_assert_not(list.has_open);
	cr_assert_eq(list.n, 2);
	cr_assert_eq(list.list[1].duration_ms, 360);
	rig_done(&r);
}

Test(ring_hls, packets_that_are_late_are_no_hole)
{
	struct ring_segments list;
	struct rig r;

	rig_init(&r);
	use_parts(&r, 500);
	live(&r, 0, 1000);
	burst(&r, 1000, 2560, 2560);
	live(&r, 2560, 5000);
	ring_reader_segments(r.reader, 16 * RING_UNIT, &list);
	cr_assert_eq(list.n, 2);
	for (size_t i = 0; i < list.n; i++) {
		cr_assert_eq(list.list[i].duration_ms, 2000);
		cr_assert_eq(list.list[i].base, list.open.base);
	}
	expect_parts(&r, 500);
	rig_done(&r);
}

/* Does the part behind a stop begin with the picture that it ended in front of,
 * and have the tables? */
static void expect_rest(const struct rig *r, const struct ring_segment *s)
{
	static const uint16_t pids[] = { VIDEO, VIDEO, VIDEO, TS_PID_PAT, PMT };
	uint8_t p[ARRAY_LEN(pids)][TS_PACKET];

	cr_assert_eq(pread(r->fd, p, sizeof p, RING_DATA + (off_t)s->pos),
		     sizeof p);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		cr_assert_eq(ts_pid(p[i]), pids[i], "%zu", i);
	/* a PCR is in front of each picture */
	cr_assert(ts_pusi(p[0]));
	cr_assert_eq(ts_cc(p[2]), ts_cc(p[1]));
}

Test(ring_hls, a_source_that_was_late_loses_nothing)
{
	for (uint64_t stall = 3440; stall <= 4040; stall += 560) {
		struct ring_segments list;
		struct rig r;
		uint64_t back = stall + 2600;

		rig_init(&r);
		use_parts(&r, 500);
		live(&r, 0, stall);
		ring_out_feed(r.out, NULL, 0, START + (back - 10) * MS);
		ring_reader_segments(r.reader, 16 * RING_UNIT, &list);
		cr_assert_not(list.has_open);
		burst(&r, stall, back, back);
		live(&r, back, 10000);
		ring_reader_segments(r.reader, 16 * RING_UNIT, &list);
		cr_assert_geq(list.n, 4);
		for (size_t i = 0; i < list.n; i++) {
			const struct ring_segment *s = &list.list[i];

			cr_assert_eq(s->base, list.list[0].base);
			cr_assert_eq(s->stopped, i == 1);
			cr_assert(i == 0 || s[-1].end == s->pos);
			cr_assert_eq(s->independent, i != 2);
		}
		expect_rest(&r, &list.list[2]);
		cr_assert_eq(list.list[1].duration_ms, stall - 2040);
		cr_assert_eq(list.list[2].duration_ms, 4040 - stall);
		cr_assert_eq(list.target_s, 2);
		expect_parts(&r, 500);
		rig_done(&r);
	}
}

Test(ring_hls, longer_groups_of_pictures_do_not_change_the_target)
{
	struct ring_segments list;
	struct rig r;

	rig_init(&r);
	use_parts(&r, 500);
	live(&r, 0, 4000);
	r.gop_ms = 5000;
	live(&r, 4000, 14000);
	/* also those that arrive at once */
	burst(&r, 14000, 21000, 21000);
	ring_reader_segments(r.reader, 16 * RING_UNIT, &list);
	cr_assert_geq(list.n, 8);
	cr_assert_eq(list.target_s, 2);
	for (size_t i = 0; i < list.n; i++) {
		uint64_t ms = 0;

		cr_assert_lt(list.list[i].duration_ms, 2500);
		cr_assert_eq(list.list[i].base, list.list[0].base);
		for (size_t k = 0; k < i; k++)
			ms += list.list[k].duration_ms;
		cr_assert_eq(list.list[i].independent,
			     ms <= 2000 || ms % 5000 == 0, "%zu: %ju", i,
			     (uintmax_t)ms);
	}
	expect_parts(&r, 500);
	rig_done(&r);
}

/* A group of a second loses the picture that it begins with. */
Test(ring_hls, a_loss_makes_no_segment_longer_than_the_target)
{
	struct ring_segments list;
	struct rig r;

	rig_init(&r);
	ring_out_free(&r.out);
	r.out = ring_out_new(r.fd, r.psi, &(int){ 0 });
	ring_out_set_hls(r.out, &(struct ring_out_hls){ 3000, 4, 0 });
	live(&r, 0, 5800);
	live(&r, 6600, 14000);
	ring_reader_segments(r.reader, 16 * RING_UNIT, &list);
	cr_assert_geq(list.n, 4);
	cr_assert_eq(list.target_s, 3);
	for (size_t i = 0; i < list.n; i++)
		cr_assert_lt(list.list[i].duration_ms, 3500);
	/* the second one has the loss; the third one begins anywhere */
	cr_assert_not(list.list[2].independent);
	cr_assert(list.list[3].independent);
	cr_assert_eq(list.list[3].base, list.list[0].base);
	/* up to the next picture that decodes, at seven seconds */
	cr_assert_eq(list.list[2].duration_ms, 400);
	rig_done(&r);
}

/* The PATs that were written from a position on. */
static unsigned count_pats(const struct rig *r, uint64_t from, uint64_t to)
{
	uint8_t p[TS_PACKET];
	unsigned n = 0;

	for (; from < to; from += TS_PACKET) {
		cr_assert_eq(pread(r->fd, p, sizeof p, RING_DATA + (off_t)from),
			     sizeof p);
		n += ts_pid(p) == TS_PID_PAT;
	}
	return n;
}

Test(ring_hls, a_process_without_a_playlist_ends_no_segment)
{
	struct rig r;
	uint64_t begin, end;
	bool ok;
	int err;

	rig_init(&r);
	for (unsigned i = 0; i < 5; i++)
		write_second(&r, i);
	ring_out_free(&r.out);
	r.out = ring_out_new(r.fd, r.psi, &err);
	ring_out_set_hls(r.out, &(struct ring_out_hls){ 0 });
	for (unsigned i = 5; i < 35; i++)
		write_second(&r, i);
	ring_out_publish(r.out);
	begin = ring_reader_pos(r.reader, &ok);
	for (unsigned i = 0; i < 20; i++) {
		struct ts_run run;

		r.in->n = 0;
		(void)build_pes(r.in, VIDEO, other, sizeof other);
		run = build_run(r.in);
		ring_out_feed(r.out, &run, 1, START + 34 * SECOND_NS + i);
	}
	ring_out_publish(r.out);
	end = ring_reader_pos(r.reader, &ok);
	cr_assert_geq(end - begin, 20 * TS_PACKET);
	cr_assert_eq(count_pats(&r, begin, end), 0);
	rig_done(&r);
}

Test(ring_hls, a_segment_without_a_picture_ends_with_tables_too)
{
	struct rig r;
	struct ring_segments list;
	uint8_t first[3 * TS_PACKET];

	rig_init(&r);
	write_second(&r, 0);
	ring_out_publish(r.out);
	for (unsigned i = 1; i < 24; i++) {
		struct ts_run run;

		r.in->n = 0;
		(void)build_pcr(r.in, VIDEO, i * UINT64_C(27000000));
		(void)build_pes(r.in, VIDEO, other, sizeof other);
		run = build_run(r.in);
		/* the time of arrival stands still, so there is no guess */
		ring_out_feed(r.out, &run, 1, START + i);
		ring_out_publish(r.out);
	}
	ring_reader_segments(r.reader, RING_UNIT, &list);
	cr_assert_eq(list.n, 1);
	cr_assert_geq(list.list[0].duration_ms, 20000);
	cr_assert_leq(list.list[0].duration_ms, 21000);
	cr_assert_geq(list.target_s, 20);
	cr_assert_not(list.open.independent);
	cr_assert_eq(pread(r.fd, first, sizeof first,
			   RING_DATA + (off_t)list.open.pos), sizeof first);
	cr_assert_eq(ts_pid(first), TS_PID_PAT);
	cr_assert_eq(ts_pid(first + TS_PACKET), PMT);
	cr_assert(ts_pusi(first + 2 * TS_PACKET));
	rig_done(&r);
}

/* Part of a second of the stream: a picture, and the tables in front of it. */
static void write_tables(struct rig *r, uint8_t version, uint8_t type,
			 uint64_t ms)
{
	static const uint8_t mpeg2[] = { 0, 0, 1, 0xb3, 0x2d, 0x02, 0x40,
					 0x33, 0x24, 0x9f, 0x23, 0x81,
					 0, 0, 1, 0, 0, 0x0f, 0xff, 0xf8 };
	const struct build_es streams[] = { { .type = type, .pid = VIDEO },
					    { .type = 0x03, .pid = 0x102 } };
	uint8_t section[256];
	struct ts_run run;
	size_t len;

	r->in->n = 0;
	len = build_pmt(section, (struct build_entry){ 1, PMT }, version,
			streams, ARRAY_LEN(streams));
	(void)build_section(r->in, PMT, section, len);
	/* as the splice does, in front of the packets */
	(void)psi_feed(r->psi, build_packet(r->in, 0));
	(void)build_pcr(r->in, VIDEO, ms * 27000);
	(void)build_pes(r->in, VIDEO, type == 0x02 ? mpeg2 : idr,
			type == 0x02 ? sizeof mpeg2 : sizeof idr);
	for (unsigned i = 0; i < 5; i++)
		(void)build_payload(r->in, VIDEO, (uint8_t)i);
	run = build_run(r->in);
	ring_out_feed(r->out, &run, 1, START + ms * MS);
	ring_out_publish(r->out);
}

Test(ring_hls, other_tracks_begin_a_segment_that_is_a_discontinuity)
{
	struct rig r;
	struct ring_segments list;
	uint8_t all[256 * TS_PACKET];
	const struct ring_segment *last;
	size_t n;

	rig_init(&r);
	for (uint64_t ms = 0; ms < 7000; ms += 250)
		write_tables(&r, 1, 0x1b, ms);
	ring_reader_segments(r.reader, RING_UNIT, &list);
	n = list.n;
	cr_assert_geq(n, 2);
	/* a new version alone */
	write_tables(&r, 2, 0x1b, 7000);
	write_tables(&r, 3, 0x1b, 7250);
	ring_reader_segments(r.reader, RING_UNIT, &list);
	cr_assert_eq(list.n, n);
	write_tables(&r, 4, 0x02, 7500);
	ring_reader_segments(r.reader, RING_UNIT, &list);
	cr_assert_eq(list.n, n + 1);
	last = &list.list[n];
	cr_assert_eq(list.open.base, last->base + 1);
	cr_assert_eq(last->base, list.list[0].base);
	/* the old segment has no table of the new tracks */
	cr_assert_leq(last->end - last->pos, sizeof all);
	cr_assert_eq(pread(r.fd, all, last->end - last->pos,
			   RING_DATA + (off_t)last->pos),
		     (ssize_t)(last->end - last->pos));
	for (size_t i = 0; i < (last->end - last->pos) / TS_PACKET; i++) {
		const uint8_t *p = all + i * TS_PACKET;

		if (ts_pid(p) == PMT)
			cr_assert_eq(p[5 + 12], 0x1b, "packet %zu", i);
	}
	rig_done(&r);
}

/* --- a reader beside the writer --- */

struct beside {
	struct ring_reader *reader;
	atomic_bool ends;
	atomic_uint ended; /* segments that it saw as the newest */
	unsigned lacking;
};

static bool has_end(const struct ring_parts *parts,
		    const struct ring_segment *s)
{
	for (size_t i = 0; i < parts->n; i++)
		if (parts->list[i].number == s->number &&
		    parts->list[i].end == s->end)
			return true;
	return false;
}

/* As deliver reads: the segments first.  A reader that the machine stopped in
 * between, so that further segments ended, proves nothing. */
static void *read_beside(void *arg)
{
	struct ring_segments all, later;
	struct ring_parts parts;
	struct beside *b = arg;
	uint64_t number = 0;

	while (!atomic_load(&b->ends)) {
		ring_reader_segments(b->reader, RING_UNIT, &all);
		if (all.n == 0 || all.list[all.n - 1].number == number)
			continue;
		number = all.list[all.n - 1].number;
		ring_reader_parts(b->reader, RING_UNIT, &parts);
		ring_reader_segments(b->reader, RING_UNIT, &later);
		if (later.list[later.n - 1].number > number + 1)
			continue;
		atomic_fetch_add(&b->ended, 1);
		b->lacking += !has_end(&parts, &all.list[all.n - 1]);
	}
	return NULL;
}

Test(ring_hls, a_segment_that_has_ended_has_its_last_part)
{
	struct beside b = { 0 };
	struct rig r;
	pthread_t thread;
	int err = 0;

	rig_init(&r);
	use_parts(&r, 500);
	b.reader = ring_reader_new(r.fd, &err);
	cr_assert_not_null(b.reader);
	cr_assert_eq(pthread_create(&thread, NULL, read_beside, &b), 0);
	for (uint64_t ms = 0; ms < 2000000 || atomic_load(&b.ended) == 0;
	     ms += 2000)
		live(&r, ms, ms + 2000);
	atomic_store(&b.ends, true);
	(void)pthread_join(thread, NULL);
	cr_expect_eq(b.lacking, 0u, "%u of %u", b.lacking, b.ended);
	ring_reader_free(&b.reader);
	rig_done(&r);
}
