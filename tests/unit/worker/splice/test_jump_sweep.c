/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source whose clock jumps by any amount, from 1 ms to 13 h in both
 * directions: no PCR of the output goes back, and none is more than 100 ms
 * ahead of the one before, without an announcement.
 */
#include "tests/unit/rounds.h"
#include "tests/unit/worker/splice/stage.h"

#include "worker/splice/pes_split.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAST_MS (13 * 3600 * 1000)
#define TICKS_MS 90

static struct stage s;
static struct source *a, *b;
static size_t head; /* the most bytes of a PES of a in its first packet */

static void choose_sources(void)
{
	source_again(a, UINT64_C(5000000000));
	a->gop = 5;
	a->head = head;
	source_again(b, UINT64_C(900000));
}

static void setup(void)
{
	stage_init(&s);
	a = source_new(0);
	b = source_new(0);
	choose_sources();
}

static void next_case(void)
{
	stage_again(&s);
	choose_sources();
}

static void teardown(void)
{
	stage_done(&s);
	free(a);
	free(b);
}

TestSuite(jump_sweep, .init = setup, .fini = teardown);

/* All times of the source change at once, as if it had been set. */
static void jump(struct source *source, int64_t ms)
{
	int64_t wrap = (int64_t)PES_TIME_WRAP;
	/* never a whole number of PCR intervals, after which a PCR repeats */
	int64_t by = ms * TICKS_MS + (ms > 0 ? 7 : -7);

	source->start = (uint64_t)(((int64_t)source->start + by + wrap) %
				   wrap);
}

static void judge_pcrs(int64_t ms)
{
	const struct judge *j = &s.judge;
	const char *first = j->n_events > 0 ? j->events[0] : "";

	cr_assert_eq(j->pcr_back + j->pcr_jump, 0, "%lld ms: %s",
		     (long long)ms, first);
	cr_assert_eq(j->cc, 0, "%lld ms: %s", (long long)ms, first);
}

static struct splice_counters counted(void)
{
	struct splice_counters c;

	splice_counters(s.splice, &c);
	return c;
}

typedef void jump_fn(int64_t ms);

/* 1 ms to 13 h, each a third more than the one before. */
static void sweep(jump_fn *fn)
{
	for (double ms = 1; ms < LAST_MS * 1.32; ms *= 1.33) {
		fn((int64_t)fmin(ms, LAST_MS));
		fn(-(int64_t)fmin(ms, LAST_MS));
	}
}

/* Each jump is the first one, of a stream that was not changed before. */
static void jump_once(int64_t ms)
{
	next_case();
	stage_play(&s, a, 1000);
	jump(a, ms);
	stage_play(&s, a, 600);
	judge_pcrs(ms);
	/* a unit in front of the first PCR may show the jump, too */
	cr_assert_leq(counted().jumps, 2, "%lld ms", (long long)ms);
	cr_assert_leq(s.judge.dts_back, 1, "%lld ms: %s", (long long)ms,
		      s.judge.events[0]);
}

Test(jump_sweep, an_unchanged_stream)
{
	sweep(jump_once);
}

/* Moves the header of the PES that begins in the first packet, if several
 * packets have it. */
static void move_header(struct ts_run run, struct stamps_move by)
{
	struct pes_split header;
	uint8_t *p = (uint8_t *)run.data;
	uint8_t *next = p;
	enum pes_head_sign sign = pes_head_read(p, &header.head);

	while (sign == HEAD_WAITS && --run.n > 0)
		sign = pes_head_add(&header.head, next += TS_PACKET);
	if (sign != HEAD_WHOLE)
		return;
	pes_split_begin(&header, p, by);
	for (; p != next; p += TS_PACKET)
		if (ts_pid(p + TS_PACKET) == header.head.pid)
			(void)pes_split_continue(&header, p + TS_PACKET,
						 ts_cc(p + TS_PACKET));
}

static void move_all(struct ts_run run, struct stamps_move by)
{
	for (; run.n > 0; run.n--, run.data += TS_PACKET) {
		move_header(run, by);
		stamps_move((uint8_t *)run.data, by);
	}
}

/* The first unit behind the jump has to wait for the first PCR. */
static void jump_in_front_of_a_unit(int64_t ms)
{
	for (unsigned phase = 0; phase < 90; phase += 7 * ROUNDS_DIVISOR) {
		uint64_t ticks = (uint64_t)(ms * TICKS_MS + 7) % PES_TIME_WRAP;
		struct stamps_move by = { .clock = ticks, .times = ticks };
		uint64_t dropped;

		next_case();
		stage_play(&s, a, 1000);
		for (unsigned i = 0; i < 40 + phase; i++) {
			struct ts_run run = source_make(a, 1);

			stage_wait(&s, 1);
			splice_feed(s.splice, &run, 1, s.now_ns);
		}
		move_all(source_make(a, 600), by);
		for (size_t i = 0; i < 600; i++) {
			struct ts_run run = { a->data + i * TS_PACKET, 1 };

			stage_wait(&s, 1);
			splice_feed(s.splice, &run, 1, s.now_ns);
		}
		judge_pcrs(ms);
		dropped = counted().dropped;
		/* the times of a shorter jump are not odd */
		if (llabs(ms) <= 100)
			continue;
		cr_assert_eq(s.judge.dts_back, 0, "%lld ms, %u: %s",
			     (long long)ms, phase, s.judge.events[0]);
		cr_assert_eq(dropped, 0, "%lld ms, %u: %lu", (long long)ms,
			     phase, (unsigned long)dropped);
	}
}

Test(jump_sweep, a_unit_in_front_of_the_first_pcr)
{
	sweep(jump_in_front_of_a_unit);
}

/* The first packet has no time of it, or the PTS alone. */
Test(jump_sweep, a_unit_whose_header_two_packets_have)
{
	static const size_t heads[] = { 5, 16 };

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		head = heads[i];
		sweep(jump_in_front_of_a_unit);
	}
}

static void jump_again(int64_t ms)
{
	jump(a, ms);
	stage_play(&s, a, 400);
	judge_pcrs(ms);
}

Test(jump_sweep, one_jump_behind_another)
{
	stage_play(&s, a, 1000);
	sweep(jump_again);
}

Test(jump_sweep, behind_a_change_of_the_source)
{
	stage_play(&s, b, 1000);
	stage_change(&s, b, a, 1000);
	sweep(jump_again);
}

/* The counters jump as well. */
static void restart(int64_t ms)
{
	next_case();
	stage_play(&s, a, 1000);
	jump(a, ms);
	for (size_t i = 0; i < TS_PIDS; i++)
		a->cc[i] = (uint8_t)(a->cc[i] + 5);
	stage_play(&s, a, 600);
	s.judge.cc = 0;
	judge_pcrs(ms);
}

Test(jump_sweep, a_restarted_source)
{
	sweep(restart);
}

/* PCRs as far apart as they may be, 5 ms of the time missing. */
static void jump_jittery(int64_t ms)
{
	next_case();
	stage_play(&s, a, 1000);
	for (unsigned i = 0; i < 20; i++) {
		struct ts_run run = source_make(a, 25 + 10 * (i % 3));

		if (i == 10)
			jump(a, ms);
		stage_wait(&s, i % 2 ? 15 : 55);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
	judge_pcrs(ms);
}

Test(jump_sweep, a_source_that_arrives_unevenly)
{
	sweep(jump_jittery);
}

static unsigned delay_ms;

/* The path gets longer for ever, without a loss, a second before the jump. */
static void jump_behind_a_delay(int64_t ms)
{
	next_case();
	stage_play(&s, a, 3000);
	stage_wait(&s, delay_ms);
	stage_play(&s, a, 1000);
	cr_assert_eq(counted().jumps, 0);
	jump(a, ms);
	stage_play(&s, a, 600);
	judge_pcrs(ms);
}

Test(jump_sweep, a_source_that_is_late)
{
	for (delay_ms = 150; delay_ms < 2000; delay_ms *= 2)
		sweep(jump_behind_a_delay);
}

/* --- what is no jump --- */

Test(jump_sweep, a_burst_that_lost_packets_is_no_jump)
{
	stage_play(&s, a, 2000);
	for (unsigned i = 0; i < 10; i++) {
		struct ts_run run;

		/* 0.4 s arrive late and at once, 0.2 s of them are missing */
		stage_wait(&s, 400);
		run = source_make(a, 100);
		splice_feed(s.splice, &run, 1, s.now_ns);
		source_skip(a, 200 + i);
		run = source_make(a, 100);
		splice_feed(s.splice, &run, 1, s.now_ns);
		stage_play(&s, a, 500);
	}
	cr_assert_eq(counted().jumps, 0);
	cr_assert_eq(s.judge.pcr_back, 0);
}

/* Each tenth PCR is 45 ms too low: 15 ms before the one before it. */
Test(jump_sweep, a_single_wrong_pcr_is_removed)
{
	for (unsigned i = 0; i < 300; i++) {
		struct ts_run run = source_make(a, 30);
		uint8_t *p = a->data + 5 * TS_PACKET;
		uint64_t pcr;

		if (i % 10 == 9 && ts_pcr(p, &pcr))
			ts_set_pcr(p, pcr - 27000 * 45);
		stage_wait(&s, 30);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
	cr_assert_eq(counted().jumps, 0);
	cr_assert_eq(s.judge.pcr_back + s.judge.pcr_jump, 0);
	cr_assert_eq(s.state->clocks[0].offset, 0);
}

/* One PCR is wrong by so much; all other packets pass unchanged, whatever
 * begins behind it. */
static void spoil_one(int64_t ms, unsigned from, unsigned tick_ms)
{
	const int64_t wrap = (int64_t)PCR_WRAP;
	const unsigned all = 600;
	uint8_t *sent = malloc((size_t)all * TS_PACKET);
	unsigned place = all;
	uint64_t pcr;
	size_t base;

	cr_assert_not_null(sent);
	next_case();
	stage_play(&s, a, 1000);
	base = s.n;
	for (unsigned at = 0; at < all; at += tick_ms) {
		struct ts_run run = source_make(a, tick_ms);

		for (unsigned k = 0; k < tick_ms; k++) {
			uint8_t *p = a->data + (size_t)k * TS_PACKET;

			if (place < all || at + k < from || !ts_pcr(p, &pcr))
				continue;
			place = at + k;
			ts_set_pcr(p, (uint64_t)(((int64_t)pcr + ms * 27000 +
						  wrap) % wrap));
		}
		memcpy(sent + (size_t)at * TS_PACKET, a->data,
		       (size_t)tick_ms * TS_PACKET);
		stage_wait(&s, tick_ms);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
	cr_assert_eq(s.n - base, all * TS_PACKET, "%lld ms, %u: %zu packets",
		     (long long)ms, place, (s.n - base) / TS_PACKET);
	for (unsigned i = 0; i < all; i++) {
		const uint8_t *p = s.data + base + (size_t)i * TS_PACKET;

		cr_assert(i == place ? !ts_pcr(p, &pcr)
				     : memcmp(p, sent + (size_t)i * TS_PACKET,
					      TS_PACKET) == 0,
			  "%lld ms, %u: packet %u", (long long)ms, place, i);
	}
	stage_assert_flawless(&s);
	cr_assert_eq(counted().jumps, 0);
	free(sent);
}

Test(jump_sweep, a_single_pcr_that_the_next_contradicts_is_removed)
{
	static const int64_t by[] = { -60, -200, -1000, -60000, -3600000,
				      200, 600, 1000, 10000, 3600000 };
	static const unsigned ticks[] = { 1, 10, 100 };

	for (size_t i = 0; i < sizeof by / sizeof *by; i++)
		for (unsigned from = 100; from < 460; from += 30)
			spoil_one(by[i], from, ticks[(i + from / 30) % 3]);
}

/* Feeds a packet each millisecond, up to the one in front of a PCR. */
static void play_up_to_pcr(void)
{
	while (a->packets % 30 != 5) {
		struct ts_run run = source_make(a, 1);

		stage_wait(&s, 1);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
}

static void feed_each(unsigned ms, bool wait)
{
	for (unsigned i = 0; i < ms; i++) {
		struct ts_run run = source_make(a, 1);
		uint64_t sent = s.packets;

		stage_wait(&s, 1);
		splice_turn(s.splice, s.now_ns);
		splice_feed(s.splice, &run, 1, s.now_ns);
		cr_assert_eq(s.packets == sent, wait, "%u ms", i);
	}
}

Test(jump_sweep, the_next_pcr_confirms_a_jump)
{
	uint64_t before;

	a->no_audio = true;
	stage_play(&s, a, 1000);
	play_up_to_pcr();
	before = s.packets;
	jump(a, 5000);
	feed_each(30, true);
	feed_each(1, false);
	cr_assert_eq(s.packets - before, 31);
	cr_assert_eq(counted().jumps, 1);
	/* the wait is no part of the clock */
	cr_assert_lt(s.judge.pcr_gap, 31 * 27000);
	feed_each(100, false);
	judge_pcrs(5000);
}

Test(jump_sweep, a_jump_without_another_pcr_waits_no_longer_than_it_may)
{
	uint64_t before;

	a->no_audio = true;
	stage_play(&s, a, 1000);
	play_up_to_pcr();
	before = s.packets;
	jump(a, 5000);
	feed_each(1, true);
	a->no_pcr = true;
	feed_each(SPLICE_DOUBT_MS - 1, true);
	feed_each(1, false);
	cr_assert_eq(s.packets - before, SPLICE_DOUBT_MS + 1);
	cr_assert_eq(counted().jumps, 1);
}

Test(jump_sweep, an_announced_jump_waits_for_no_pcr)
{
	struct ts_run run;
	uint64_t before;

	stage_play(&s, a, 1000);
	play_up_to_pcr();
	before = s.packets;
	jump(a, 5000);
	run = source_make(a, 1);
	a->data[5] |= 0x80;
	stage_wait(&s, 1);
	splice_feed(s.splice, &run, 1, s.now_ns);
	cr_assert_eq(s.packets - before, 1);
	cr_assert_eq(counted().jumps, 1);
}

/* Two datagrams change places, each time with a PCR in both. */
Test(jump_sweep, a_pcr_out_of_order_is_removed)
{
	for (int i = 0; i < 40; i++) {
		struct ts_run run = source_make(a, 60);
		uint8_t swap[7 * TS_PACKET];
		uint8_t *one = a->data + 5 * TS_PACKET;
		uint8_t *two = a->data + 35 * TS_PACKET;

		if (i % 4 == 3) {
			memcpy(swap, one, sizeof swap);
			memcpy(one, two, sizeof swap);
			memcpy(two, swap, sizeof swap);
		}
		stage_wait(&s, 60);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
	cr_assert_eq(counted().jumps, 0);
	cr_assert_eq(s.judge.pcr_back, 0);
}

/* The old source jumps while its last units are awaited. */
static void jump_in_a_drain(int64_t ms)
{
	struct switch_point *entry = switch_point_new(NULL);
	struct ts_run run, rest;
	size_t n;

	next_case();
	stage_play(&s, a, 1015);
	run = source_make(a, 20);
	splice_feed(s.splice, &run, 1, s.now_ns);
	switch_point_want(entry, 0, s.now_ns);
	run = source_make(b, 100);
	cr_assert(switch_point_feed(entry, &run, 1, s.now_ns, &rest, &n));
	splice_cut(s.splice, entry, true, s.now_ns);
	splice_feed(s.splice, &rest, n, s.now_ns);
	jump(a, ms);
	for (unsigned i = 0; i < 50; i++) {
		struct ts_run old = source_make(a, 10);
		struct ts_run new = source_make(b, 10);

		stage_wait(&s, 10);
		if (splice_is_draining(s.splice, s.now_ns))
			splice_drain(s.splice, &old, 1, s.now_ns);
		splice_feed(s.splice, &new, 1, s.now_ns);
	}
	cr_assert_eq(s.judge.pcr_back + s.judge.pcr_jump, 0, "%lld ms: %s",
		     (long long)ms, s.judge.events[0]);
	switch_point_free(&entry);
}

Test(jump_sweep, the_end_of_the_source_before)
{
	sweep(jump_in_a_drain);
}

/* The next source restarts while the units of the one before are awaited: its
 * units may come in front of its first new PCR. */
static void restart_in_a_drain(int64_t ms, unsigned phase)
{
	struct switch_point *entry = switch_point_new(NULL);
	struct ts_run run, rest;
	size_t n;

	next_case();
	stage_play(&s, a, 1015);
	run = source_make(a, 20);
	splice_feed(s.splice, &run, 1, s.now_ns);
	switch_point_want(entry, 0, s.now_ns);
	run = source_make(b, 100);
	cr_assert(switch_point_feed(entry, &run, 1, s.now_ns, &rest, &n));
	splice_cut(s.splice, entry, true, s.now_ns);
	splice_feed(s.splice, &rest, n, s.now_ns);
	run = source_make(b, 10 + phase);
	splice_feed(s.splice, &run, 1, s.now_ns);
	source_skip(b, 130);
	jump(b, ms);
	for (unsigned i = 0; i < 100; i++) {
		run = source_make(b, 10);
		stage_wait(&s, 10);
		splice_turn(s.splice, s.now_ns);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
	cr_expect_eq(s.judge.pcr_back + s.judge.dts_back + s.judge.dts_late, 0,
		     "%lld ms, %u: %s", (long long)ms, phase,
		     s.judge.events[s.judge.n_events - 1]);
	switch_point_free(&entry);
}

Test(jump_sweep, the_next_source_before_its_start)
{
	static const int64_t by[] = { -3600000, -60000, 60000, 3600000 };

	for (size_t i = 0; i < sizeof by / sizeof *by; i++)
		for (unsigned phase = 0; phase < 60; phase += 3)
			restart_in_a_drain(by[i], phase);
}

/* A source with a PCR each 400 ms, in bursts. */
Test(jump_sweep, rare_pcrs_are_no_jumps)
{
	for (unsigned i = 0; i < 100; i++) {
		struct ts_run run = source_make(a, 200);

		for (size_t k = 0; k < run.n; k++) {
			uint8_t *p = a->data + k * TS_PACKET;
			uint64_t pcr;

			if (!ts_pcr(p, &pcr) || pcr / 27000 % 400 < 30)
				continue;
			p[1] = TS_PID_NULL >> 8;
			p[2] = TS_PID_NULL & 0xff;
		}
		stage_wait(&s, i % 2 ? 260 : 140);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
	cr_assert_eq(counted().jumps, 0);
}

/* A camera that sends no picture for 0.4 s: the path delays the last packets in
 * front of it. */
Test(jump_sweep, a_pause_of_the_source_behind_a_delay_is_no_jump)
{
	enum { PAUSE_MS = 400, BLOCK_MS = 40 };

	for (unsigned late_ms = 20; late_ms <= 260; late_ms += 60) {
		next_case();
		a->no_audio = true;
		for (unsigned i = 0; i < 10; i++) {
			struct ts_run run;

			stage_play(&s, a, 840);
			run = source_make(a, BLOCK_MS);
			stage_wait(&s, BLOCK_MS + late_ms);
			splice_feed(s.splice, &run, 1, s.now_ns);
			a->packets += PAUSE_MS;
			a->pictures += PAUSE_MS / 40;
			stage_wait(&s, PAUSE_MS - late_ms);
		}
		cr_expect_eq(counted().jumps, 0, "%u ms", late_ms);
	}
}
