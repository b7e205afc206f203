/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/splice/stage.h"

#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct stage s;
static struct source *a, *b;

static void setup(void)
{
	stage_init(&s);
	a = source_new(900000);
	b = source_new(UINT64_C(5000000000));
	b->first_cc = 9;
}

static void teardown(void)
{
	stage_done(&s);
	free(a);
	free(b);
}

TestSuite(splice, .init = setup, .fini = teardown);

static struct splice_counters counted(void)
{
	struct splice_counters c;

	splice_counters(s.splice, &c);
	return c;
}

Test(splice, passes_its_input_unchanged_without_a_cut)
{
	for (int i = 0; i < 300; i++) {
		struct ts_run run = source_make(a, 100);

		stage_wait(&s, 100);
		splice_feed(s.splice, &run, 1, s.now_ns);
		cr_assert_eq(s.last, run.data, "not even copied");
	}
	cr_assert_eq(s.packets, 30000);
	cr_assert_eq(counted().cuts, 0);
	stage_assert_flawless(&s);
}

Test(splice, keeps_a_loss_and_a_repetition_as_they_are)
{
	struct ts_run run = source_make(a, 2000);
	size_t lost = 0, n = 0;

	for (size_t i = 0; i < run.n; i++) {
		struct ts_run one = { run.data + i * TS_PACKET, 1 };

		s.now_ns += STAGE_MS;
		if (ts_pid(one.data) == SOURCE_VIDEO &&
		    ts_has_payload(one.data) && !ts_pusi(one.data) &&
		    ++n % 50 == 0) {
			lost++;
			continue;
		}
		splice_feed(s.splice, &one, 1, s.now_ns);
		if (i % 100 == 77)
			splice_feed(s.splice, &one, 1, s.now_ns);
	}
	cr_assert_gt(lost, 10);
	cr_assert_eq(s.judge.cc, lost);
	cr_assert_eq(counted().cuts, 0);
}

Test(splice, changes_over_without_a_seam)
{
	stage_play(&s, a, 3000);
	stage_change(&s, a, b, 3000);
	stage_change(&s, b, a, 3000);
	stage_play(&s, a, 3000);
	stage_assert_flawless(&s);
	cr_assert_eq(counted().cuts, 2);
	cr_assert_eq(counted().jumps, 0);
	/* 12 s by the clock */
	cr_assert_gt(s.judge.pcr_span, INT64_C(11900) * 27000);
	cr_assert_lt(s.judge.pcr_span, INT64_C(12000) * 27000);
	cr_assert_lt(s.judge.pcr_gap, 80 * 27000);
}

Test(splice, a_loss_behind_a_cut_stays_visible)
{
	stage_play(&s, a, 2000);
	stage_change(&s, a, b, 2000);
	for (int i = 0; i < 10; i++) {
		stage_play(&s, b, 500);
		/* all PIDs lose packets, none a multiple of 16 */
		source_skip(b, 105);
		stage_wait(&s, 105);
	}
	cr_assert_geq(s.judge.cc, 10);
	cr_assert_leq(s.judge.cc, 40);
	cr_assert_eq(counted().jumps, 0);
	cr_assert_eq(s.judge.dts_back + s.judge.pcr_back, 0);
}

Test(splice, goes_over_the_wrap_of_33_bits)
{
	a->start = PES_TIME_WRAP - 200000;
	b->start = PES_TIME_WRAP - 350000;
	stage_play(&s, a, 2000);
	stage_change(&s, a, b, 3000);
	stage_play(&s, b, 2000);
	stage_change(&s, b, a, 2000);
	stage_assert_flawless(&s);
}

Test(splice, the_clock_continues_without_packets)
{
	uint64_t before;

	stage_play(&s, a, 2000);
	before = s.state->clocks[0].pcr;
	stage_wait(&s, 7000);
	source_skip(b, 1234);
	splice_cut(s.splice, NULL, false, s.now_ns);
	stage_play(&s, b, 1000);
	cr_assert_eq(s.judge.cc + s.judge.dts_back + s.judge.dts_late, 0);
	cr_assert_eq(s.judge.pcr_jump, 1);

	uint64_t passed = pcr_diff(s.state->clocks[0].pcr, before) / 27000;

	cr_assert_gt(passed, 7940);
	cr_assert_lt(passed, 8060);
}

/* Does the first picture behind these bytes say that decoding can begin? */
static bool begins_with_rap(size_t from)
{
	for (size_t at = from; at < s.n; at += TS_PACKET) {
		const uint8_t *p = s.data + at;

		if (ts_pid(p) == SOURCE_VIDEO && ts_pusi(p))
			return ts_adaptation_flags(p) & 0x40;
	}
	return false;
}

Test(splice, private_data_of_a_header_is_no_picture)
{
	for (size_t head = 1; head < 40; head++) {
		size_t before;

		b->head = head;
		b->false_start = true;
		stage_play(&s, a, 1000);
		source_skip(b, 300);
		before = s.n;
		splice_cut(s.splice, NULL, false, s.now_ns);
		stage_play(&s, b, 1000);
		cr_assert(begins_with_rap(before), "split at %zu", head);
	}
}

Test(splice, the_same_source_again_is_left_where_it_was)
{
	uint64_t offset;

	stage_play(&s, a, 2000);
	source_skip(a, 700);
	stage_wait(&s, 700);
	splice_cut(s.splice, NULL, false, s.now_ns);
	stage_play(&s, a, 1000);
	offset = s.state->clocks[0].offset;
	cr_assert_eq(offset, 0);
	cr_assert_eq(s.judge.cc, 0, "a loss at a cut is none");
}

Test(splice, a_worker_continues_where_the_last_one_died)
{
	for (int i = 0; i < 5; i++) {
		stage_play(&s, a, 1500);
		stage_restart(&s);
		source_skip(a, 60 + (size_t)i);
		stage_wait(&s, 60);
	}
	stage_play(&s, a, 1500);
	cr_assert_eq(s.judge.cc + s.judge.discontinuities, 0);
	cr_assert_eq(s.judge.pcr_back + s.judge.dts_back, 0);
	cr_assert_eq(s.state->clocks[0].offset, 0, "it is the same source");

	/* and with another one in its place */
	stage_restart(&s);
	stage_play(&s, b, 1500);
	cr_assert_eq(s.judge.cc + s.judge.dts_back + s.judge.dts_late, 0);
	cr_assert_neq(s.state->clocks[0].offset, 0);
}

Test(splice, a_source_that_restarts_is_made_continuous)
{
	stage_play(&s, a, 3000);
	for (int i = 0; i < 4; i++) {
		free(b);
		b = source_new(1000);
		b->first_cc = (uint8_t)(3 * i);
		stage_wait(&s, 40);
		stage_play(&s, b, 1500);
	}
	/* the unit under way cannot be completed */
	s.judge.cut_short = 0;
	stage_assert_flawless(&s);
	cr_assert_eq(counted().jumps, 4);
}

/* Without a pause, and without a PCR that shows it. */
Test(splice, a_source_that_restarts_at_once_with_other_pids_is_made_continuous)
{
	stage_play(&s, a, 3000);
	for (int i = 0; i < 4; i++) {
		free(b);
		b = source_new(1000);
		b->shift = (uint16_t)(0x10 * (i + 1));
		b->first_cc = (uint8_t)(3 * i);
		stage_play(&s, b, 1500);
	}
	s.judge.cut_short = 0;
	s.judge.silent_changes = 0; /* the tables are the source's */
	stage_assert_flawless(&s);
	cr_assert_eq(counted().jumps, 4);
}

/* The first of the next packets that is no more than a part of a picture. */
static struct ts_run next_plain(struct source *source)
{
	for (;;) {
		struct ts_run run = source_make(source, 1);

		if (ts_pid(run.data) == SOURCE_VIDEO &&
		    ts_has_payload(run.data) && !ts_pusi(run.data) &&
		    !ts_has_adaptation(run.data))
			return run;
	}
}

Test(splice, doubtful_packets_are_sent_though_none_follow)
{
	struct ts_run run;
	uint64_t sent;

	stage_play(&s, a, 2000);
	stage_wait(&s, SPLICE_SILENCE_MS + 10);
	/* a gap behind a silence, and no PCR to interpret it */
	(void)next_plain(a);
	run = next_plain(a);
	sent = s.packets;
	cr_assert_eq(splice_next_ns(s.splice), UINT64_MAX);
	splice_feed(s.splice, &run, 1, s.now_ns);
	cr_assert_eq(s.packets, sent);
	cr_assert_eq(splice_next_ns(s.splice),
		     s.now_ns + SPLICE_DOUBT_MS * STAGE_MS);
	stage_wait(&s, SPLICE_DOUBT_MS - 1);
	splice_turn(s.splice, s.now_ns);
	cr_assert_eq(s.packets, sent);
	stage_wait(&s, 1);
	splice_turn(s.splice, s.now_ns);
	cr_assert_eq(s.packets, sent + 1);
	cr_assert_eq(splice_next_ns(s.splice), UINT64_MAX);
}

Test(splice, times_that_jump_alone_are_corrected_alone)
{
	uint64_t extra = 3600 * UINT64_C(90000);

	stage_play(&s, a, 2000);
	for (int i = 0; i < 200; i++) {
		struct ts_run run = source_make(a, 10);
		struct pes_times at;

		/* the sound of one minute is an hour late */
		for (size_t k = 0; k < run.n; k++) {
			uint8_t *p = a->data + k * TS_PACKET;

			if (i > 150 || ts_pid(p) != SOURCE_AUDIO ||
			    !pes_times(p, &at))
				continue;
			pes_set_time(p + at.pts, pes_time(p + at.pts) + extra);
			pes_set_time(p + at.dts, pes_time(p + at.dts) + extra);
		}
		stage_wait(&s, 10);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
	stage_assert_flawless(&s);
	cr_assert_eq(counted().jumps, 2);
	cr_assert_lt(s.judge.dts_gap, 27000 * 400);
}

Test(splice, a_packet_out_of_order_is_no_jump)
{
	for (int i = 0; i < 100; i++) {
		struct ts_run run = source_make(a, 100);
		uint8_t swap[TS_PACKET];
		uint8_t *one = a->data + 5 * TS_PACKET;
		uint8_t *two = a->data + 35 * TS_PACKET;

		/* PCRs among them */
		memcpy(swap, one, TS_PACKET);
		memcpy(one, two, TS_PACKET);
		memcpy(two, swap, TS_PACKET);
		stage_wait(&s, 100);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
	cr_assert_eq(counted().jumps, 0);
	cr_assert_eq(s.judge.pcr_back, 0, "a late PCR is removed");
}

Test(splice, without_pcr_it_goes_by_the_units)
{
	a->no_pcr = b->no_pcr = true;
	stage_play(&s, a, 2000);
	splice_cut(s.splice, NULL, false, s.now_ns);
	stage_play(&s, b, 3000);
	cr_assert_eq(s.judge.cc + s.judge.dts_back, 0);
	/* a later jump is corrected, too */
	free(a);
	a = source_new(777);
	a->no_pcr = true;
	stage_play(&s, a, 1000);
	cr_assert_eq(s.judge.dts_back, 0);
	cr_assert_lt(s.judge.dts_gap, 27000 * 2000);
}

Test(splice, a_unit_under_way_ends_before_the_next_source_begins)
{
	uint64_t late = 0;

	stage_play(&s, a, 2000);
	for (int i = 0; i < 20; i++) {
		struct source *from = i % 2 ? b : a, *to = i % 2 ? a : b;

		stage_change(&s, from, to, 1000 + 70 * (unsigned)i);
		late += s.judge.cut_short;
	}
	cr_assert_eq(late, 0);
	stage_assert_flawless(&s);
}

/* A source does not end its picture.  dies: it sends no other packets. */
static void delay(bool dies, unsigned ms)
{
	struct switch_point *entry = switch_point_new(NULL);
	struct ts_run run, rest[2];
	uint64_t before;
	size_t n;

	teardown();
	setup();

	stage_play(&s, a, 2000);
	/* in the middle of a picture */
	run = source_make(a, 20);
	splice_feed(s.splice, &run, 1, s.now_ns);
	switch_point_want(entry, 0, s.now_ns);
	run = source_make(b, 100);
	cr_assert(switch_point_feed(entry, &run, 1, s.now_ns, rest, &n));
	before = s.packets;
	splice_cut(s.splice, entry, true, s.now_ns);
	splice_feed(s.splice, rest, n, s.now_ns);
	cr_assert(splice_is_draining(s.splice, s.now_ns));
	cr_assert_eq(s.packets, before);
	for (unsigned i = 10; i < ms; i += 10) {
		stage_wait(&s, 10);
		run = source_make(a, 10);
		for (size_t k = 0; k < run.n; k++)
			ts_set_pid(a->data + k * TS_PACKET, 0x1ff);
		if (!dies)
			splice_drain(s.splice, &run, 1, s.now_ns);
		cr_assert(splice_is_draining(s.splice, s.now_ns), "%u", i);
	}
	stage_wait(&s, 10);
	cr_assert_not(splice_is_draining(s.splice, s.now_ns));
	cr_assert_geq(s.packets, before + 80);
	cr_assert_eq(s.judge.cc, 0);
	switch_point_free(&entry);
}

Test(splice, a_source_that_does_not_end_its_unit_delays_no_other)
{
	delay(false, SPLICE_DRAIN_MS);
}

Test(splice, a_source_that_dies_in_a_unit_delays_the_next_one_less)
{
	delay(true, SPLICE_DRAIN_QUIET_MS);
}

/* Its PID and counter may be wrong (TR 101 290 5.2.2). */
Test(splice, begins_no_source_with_a_damaged_packet)
{
	static const uint16_t pids[] = { SOURCE_VIDEO, SOURCE_AUDIO };
	struct ts_run run;
	uint8_t bad[TS_PACKET];

	stage_play(&s, a, 1000);
	for (unsigned i = 0; i < 16; i++) {
		run = source_make(b, 10);
		memcpy(bad, run.data + 9 * TS_PACKET, TS_PACKET);
		bad[1] = 0x80;
		ts_set_pid(bad, pids[i % 2]);
		bad[3] = 0x10;
		ts_set_cc(bad, i);
		/* a PCR of its PID may be wrong, too */
		if (i < 4) {
			bad[3] |= 0x20;
			bad[4] = 7;
			bad[5] = 0x10;
			ts_set_pcr(bad, i);
		}
		splice_cut(s.splice, NULL, false, s.now_ns);
		run = (struct ts_run){ bad, 1 };
		splice_feed(s.splice, &run, 1, s.now_ns);
		stage_play(&s, b, 400);
	}
	cr_assert_eq(s.judge.cc, 0, "%s", s.judge.events[0]);
	cr_assert_eq(s.judge.tei, 0);
}

Test(splice, hundreds_of_cuts_do_not_make_it_drift)
{
	uint64_t began = s.now_ns;
	int64_t stray;

	stage_play(&s, a, 2000);
	for (int i = 0; i < 300; i++) {
		struct source *from = i % 2 ? b : a, *to = i % 2 ? a : b;

		/* each time it lies elsewhere in the tick */
		source_skip(to, (size_t)(i * 7 % 10));
		stage_change(&s, from, to, 800);
	}
	stage_assert_flawless(&s);
	stray = s.judge.pcr_span -
		(int64_t)((s.now_ns - began) / 1000 * 27);
	cr_assert_lt(llabs(stray), 27000 * 100, "%lld ms",
		     (long long)stray / 27000);
	cr_assert_lt(s.judge.lead_max, 27000 * 2000);
}

/* The source before is dead, and the next one has a long group of pictures.
 * Returns the first packet of its pictures that is sent. */
static const uint8_t *switch_late(void)
{
	struct switch_point *entry = switch_point_new(NULL);
	size_t from = 0, n, sounds = 0, at;
	struct ts_run run, rest[2];
	const uint8_t *p = NULL;

	stage_play(&s, a, 2000);
	for (unsigned i = 0; i < 800; i++) {
		run = source_make(b, 10);
		stage_wait(&s, 10);
		if (i == 100) {
			b->gop *= 12;
			switch_point_want(entry, 1000, s.now_ns);
		}
		if (from > 0) {
			splice_feed(s.splice, &run, 1, s.now_ns);
		} else if (switch_point_feed(entry, &run, 1, s.now_ns, rest,
					     &n)) {
			from = s.n;
			splice_cut(s.splice, entry, false, s.now_ns);
			splice_feed(s.splice, rest, n, s.now_ns);
		}
	}
	cr_assert(switch_point_is_late(entry));
	for (at = from; at < s.n; at += TS_PACKET) {
		p = s.data + at;
		if (ts_pid(p) == SOURCE_VIDEO && ts_has_payload(p))
			break;
		sounds += ts_pid(p) == SOURCE_AUDIO;
	}
	cr_assert_lt(at, s.n);
	cr_assert(ts_pusi(p));
	cr_assert_gt(sounds, 50);
	cr_assert_eq(s.judge.cc, 0);
	switch_point_free(&entry);
	return p;
}

Test(splice, pictures_of_a_late_switch_wait_for_a_random_access_point)
{
	cr_assert(ts_random_access(switch_late()));
}

Test(splice, pictures_of_a_late_switch_wait_for_one_that_a_later_packet_shows)
{
	const uint8_t *p, *end = s.data;

	b->header_alone = true;
	p = switch_late();
	for (end = s.data + s.n, p += TS_PACKET; p < end; p += TS_PACKET)
		if (ts_pid(p) == SOURCE_VIDEO && ts_has_payload(p))
			break;
	cr_assert_lt(p, end);
	cr_assert_arr_eq(p + 4, "\0\0\1\x09\x10\0\0\1\x65", 9);
}
