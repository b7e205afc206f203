/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Silent sources as a decoder sees them: each unit is in time for its clock,
 * and each jump of a clock is announced. */
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/output/cbr.h"
#include "worker/output/pacer.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	PID = 0x101,
	SOUND = 0x102,
	SOUNDS = 8,        /* others, on the PIDs behind it */
	KBPS = 5000,
	TURN_MS = 10,
	UNIT_MS = 40,
	UNIT_PACKETS = 60, /* 2.3 Mbit/s */
	LEAD_MS = 700,     /* of a unit's time over its PCR */
};

#define PCR_MS (PCR_HZ / 1000)
#define START (UINT64_C(77777) * MS)

struct bench {
	struct cbr *cbr;
	struct build *ts; /* large: one for all turns */
	uint64_t now_ns;
	/* the source */
	int64_t clock_ms, unit_ms, sound_ms; /* its clock, the next units */
	int64_t close_ms; /* the last of SOUNDS has this lead; 0: no SOUNDS */
	bool announces;            /* the next unit starts a time base */
	/* the output */
	uint64_t places, pcr, pcr_place, pcr_ns;
	bool has_pcr;
	unsigned jumps, units;
	uint64_t jumped_ns;
	double least_ms, most_ms; /* of a unit's time over the clock */
};

static void set_clock(struct bench *b, int64_t ms)
{
	b->clock_ms = b->unit_ms = ms;
	b->sound_ms = ms + UNIT_MS / 2;
}

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof *b);

	b->cbr = cbr_new(KBPS, PACER_BURST_MS);
	b->ts = build_new();
	b->now_ns = START;
	set_clock(b, 100000);
	b->least_ms = INFINITY;
	b->most_ms = -INFINITY;
	return b;
}

static void bench_free(struct bench *b)
{
	cbr_free(&b->cbr);
	build_free(b->ts);
	free(b);
}

/* A PCR interval equals the duration of its bits, or of a pause. */
static void take_pcr(struct bench *b, const uint8_t *p, uint64_t pcr)
{
	double went = (double)wrap_diff(pcr, b->pcr, PCR_WRAP) / PCR_MS;
	double by_place = (double)(b->places - b->pcr_place) * TS_PACKET *
			  8 / KBPS;
	double passed = (double)(b->now_ns - b->pcr_ns) / MS;

	if (ts_discontinuity(p)) {
		b->jumps++;
		b->jumped_ns = b->now_ns;
	} else if (b->has_pcr) {
		/* ISO/IEC 13818-1 2.4.2.1 allows 30 ppm */
		double exact = 0.0005 + by_place * 3e-5;

		bool hole = passed > by_place + 1.5 * TURN_MS;

		cr_assert(fabs(went - by_place) <= exact ||
				  (hole && fabs(went - passed) < 2 * TURN_MS),
			  "%.4f ms for %.4f, %.1f passed", went, by_place,
			  passed);
	}
	b->has_pcr = true;
	b->pcr = pcr;
	b->pcr_place = b->places;
	b->pcr_ns = b->now_ns;
}

static void take_unit(struct bench *b, uint64_t pts)
{
	double ms = (double)wrap_diff(pts * 300, b->pcr, PCR_WRAP) / PCR_MS;

	b->units++;
	b->least_ms = fmin(b->least_ms, ms);
	b->most_ms = fmax(b->most_ms, ms);
}

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++, b->places++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			uint64_t pcr, pts;

			if (ts_pcr(p, &pcr))
				take_pcr(b, p, pcr);
			if (pes_pts(p, &pts))
				take_unit(b, pts);
		}
}

/* The first packet of a unit; at: the offset of its PES header. */
static uint8_t *add_pes(struct build *ts, uint16_t pid, size_t at, int64_t ms)
{
	static const uint8_t header[] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5,
					  0x21, 0, 1, 0, 1 };
	uint8_t *p = build_payload(ts, pid, 0);

	p[1] |= 0x40;
	memcpy(p + at, header, sizeof header);
	pes_set_time(p + at + 9, (uint64_t)(ms + LEAD_MS) * PCR_MS / 300);
	return p;
}

/* A packet with PCR and PTS, and more packets. */
static void add_unit(struct bench *b, struct build *ts)
{
	uint8_t *p = add_pes(ts, PID, 12, b->unit_ms);

	p[3] |= 0x20;
	p[4] = 7;
	p[5] = b->announces ? 0x90 : 0x10;
	ts_set_pcr(p, (uint64_t)b->unit_ms * PCR_MS);
	for (unsigned i = 1; i < UNIT_PACKETS; i++)
		(void)build_payload(ts, PID, 0);
	b->announces = false;
	b->unit_ms += UNIT_MS;
}

static void add_sound(struct bench *b, struct build *ts)
{
	(void)add_pes(ts, SOUND, 4, b->sound_ms);
	for (unsigned i = 1; b->close_ms > 0 && i <= SOUNDS; i++)
		(void)add_pes(ts, (uint16_t)(SOUND + i), 4, b->sound_ms -
			      (i == SOUNDS ? LEAD_MS - b->close_ms : 0));
	b->sound_ms += UNIT_MS;
}

/* Sends the packets of the source up to now. */
static void feed(struct bench *b)
{
	struct build *ts = b->ts;
	struct ts_run run;

	ts->n = 0;
	while (MIN(b->unit_ms, b->sound_ms) <= b->clock_ms)
		if (b->sound_ms < b->unit_ms)
			add_sound(b, ts);
		else
			add_unit(b, ts);
	run = build_run(ts);
	cbr_feed(b->cbr, &run, run.n > 0, b->now_ns);
}

/* From here on it is known which units belong to the clock. */
static void add_tables(struct bench *b)
{
	struct ts_run run;

	b->ts->n = 0;
	build_tables(b->ts);
	run = build_run(b->ts);
	cbr_feed(b->cbr, &run, 1, b->now_ns);
}

/* The same with SOUNDS; one of them has this lead. */
static void add_sounds(struct bench *b, int64_t close_ms)
{
	struct build_es streams[SOUNDS + 2] = { { .type = 0x1b, .pid = PID } };
	uint8_t section[SECTION_PSI_MAX];
	struct ts_run run;
	size_t len;

	add_tables(b);
	for (unsigned i = 0; i <= SOUNDS; i++)
		streams[1 + i] = (struct build_es){
			.type = 0x03, .pid = (uint16_t)(SOUND + i) };
	b->ts->n = 0;
	len = build_pmt(section, (struct build_entry){ 1, PID }, 1, streams,
			ARRAY_LEN(streams));
	build_section(b->ts, 0x100, section, len);
	run = build_run(b->ts);
	cbr_feed(b->cbr, &run, 1, b->now_ns);
	b->close_ms = close_ms;
}

static void play(struct bench *b, unsigned ms)
{
	for (unsigned done = 0; done < ms; done += TURN_MS) {
		b->now_ns += TURN_MS * MS;
		b->clock_ms += TURN_MS;
		feed(b);
		cbr_run(b->cbr, b->now_ns, take, b);
	}
}

/* No packets arrive while the worker is awake. */
static void hush(struct bench *b, unsigned ms)
{
	for (unsigned done = 0; done < ms; done += TURN_MS) {
		b->now_ns += TURN_MS * MS;
		cbr_run(b->cbr, b->now_ns, take, b);
	}
}

/* As at the source, except for the queue. */
static void judge_leads(const struct bench *b, double less_ms, double more_ms)
{
	cr_assert_gt(b->least_ms, LEAD_MS - less_ms, "%.1f ms", b->least_ms);
	cr_assert_lt(b->most_ms, LEAD_MS + more_ms, "%.1f ms", b->most_ms);
}

/* --- */

Test(cbr_stall, announces_the_jump_of_a_stopped_clock)
{
	static const unsigned stalls[] = { 1000, 1500, 1990, 2100, 2490, 2600,
					   15000, 187000 };

	for (size_t i = 0; i < ARRAY_LEN(stalls); i++) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, stalls[i]);
		uint64_t back = b->now_ns;
		play(b, 15000);
		cr_assert_eq(b->jumps, 1, "%u ms", stalls[i]);
		cr_assert_leq(b->jumped_ns - back, 100 * MS);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, announces_nothing_for_a_running_clock)
{
	static const unsigned stalls[] = { 600, 1500, 2300, 15000, 187000 };

	for (size_t i = 0; i < ARRAY_LEN(stalls); i++) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, stalls[i]);
		set_clock(b, b->clock_ms + stalls[i]);
		play(b, 15000);
		cr_assert_eq(b->jumps, 0, "%u ms", stalls[i]);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, follows_a_restarted_encoder_at_once)
{
	static const struct {
		unsigned stall;
		int off;
		bool announced;
	} cases[] = {
		{ 15000, -17300, true }, { 15000, -17300, false },
		{ 15000, 17300, true }, { 15000, 17300, false },
		{ 1200, 40000, true }, { 0, -17300, true },
		{ 0, 17300, false }, { 3000, -90000, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, cases[i].stall);
		set_clock(b, b->clock_ms + cases[i].stall + cases[i].off);
		/* audio first, without earlier packets */
		b->sound_ms -= cases[i].stall > 0 ? UNIT_MS : 0;
		b->announces = cases[i].announced;
		uint64_t back = b->now_ns;
		play(b, 15000);
		/* the announcement of the source stays */
		cr_assert_eq(b->jumps,
			     cases[i].announced && cases[i].stall > 0 ? 2 : 1,
			     "case %zu", i);
		cr_assert_leq(b->jumped_ns - back, 100 * MS);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, follows_several_stalls)
{
	struct bench *b = bench_new();

	for (unsigned i = 0; i < 30; i++) {
		play(b, 1000 + 170 * i);
		hush(b, 1000 + 130 * i);
	}
	cr_assert_eq(b->jumps, 29);
	judge_leads(b, 100, 50);
	bench_free(b);
}

Test(cbr_stall, waits_a_second_after_a_short_stall)
{
	for (unsigned speed = 10; speed <= 15; speed += 5) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, 700);
		uint64_t back = b->now_ns;
		for (unsigned i = 0; i < 700; i += 5) {
			b->clock_ms += speed - TURN_MS;
			play(b, TURN_MS);
		}
		play(b, 15000);
		cr_assert_eq(b->jumps, speed == 10 ? 1 : 0);
		cr_assert(b->jumps == 0 ||
			  b->jumped_ns - back <= 1200 * MS);
		judge_leads(b, LEAD_MS + 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, a_delayed_worker_sees_no_pause)
{
	struct bench *b = bench_new();

	play(b, 9000);
	/* after a delay of the machine all packets arrive at once */
	b->now_ns += 800 * MS;
	cbr_run(b->cbr, b->now_ns, take, b);
	b->clock_ms += 800;
	feed(b);
	play(b, 15000);
	cr_assert_eq(b->jumps, 0);
	bench_free(b);
}

/* A network delays the packets of the stall, and then delivers them in so many
 * turns.  Beyond 1.8 s the queue has no room for all of them. */
Test(cbr_stall, announces_nothing_for_packets_that_arrive_in_a_burst)
{
	static const struct {
		unsigned stall, turns;
	} cases[] = {
		{ 500, 1 }, { 1000, 1 }, { 1500, 1 }, { 1500, 2 }, { 1500, 5 },
		{ 1500, 20 }, { 1990, 1 }, { 2100, 1 }, { 2100, 3 },
		{ 2500, 1 }, { 2500, 10 }, { 2500, 30 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench *b = bench_new();
		unsigned turns = cases[i].turns;

		play(b, 9000);
		hush(b, cases[i].stall);
		for (unsigned k = 0; k < turns; k++) {
			b->clock_ms += cases[i].stall / turns;
			play(b, TURN_MS);
		}
		play(b, 30000);
		cr_expect_eq(b->jumps, 0, "%u ms, %u turns: %u",
			     cases[i].stall, turns, b->jumps);
		/* the queue is sent at twice the rate of the source */
		b->least_ms = INFINITY;
		b->most_ms = -INFINITY;
		play(b, 1000);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, follows_packets_that_were_delayed_together)
{
	struct bench *b = bench_new();

	play(b, 9000);
	hush(b, 15000);
	/* a network element delayed the last 1.4 s; the order is right */
	b->unit_ms += 13600;
	b->sound_ms += 13600;
	b->clock_ms += 15000;
	feed(b);
	play(b, 100);
	/* a sound in front of the first PCR has that of before */
	b->least_ms = INFINITY;
	b->most_ms = -INFINITY;
	play(b, 15000);
	cr_assert_eq(b->jumps, 0);
	judge_leads(b, LEAD_MS + 700, 50);
	b->least_ms = INFINITY;
	b->most_ms = -INFINITY;
	play(b, 1000);
	judge_leads(b, 400, 400);
	bench_free(b);
}

Test(cbr_stall, starts_each_queued_time_base_with_its_first_packet)
{
	struct bench *b = bench_new();

	play(b, 9000);
	hush(b, 15000);
	/* 0.2 s of one time base and 0.2 s of another, at once */
	b->clock_ms += 200;
	feed(b);
	set_clock(b, b->clock_ms + 60000);
	b->clock_ms += 200;
	feed(b);
	play(b, 5000);
	cr_assert_eq(b->jumps, 2);
	judge_leads(b, 300, 300);
	bench_free(b);
}

/* The path from the source becomes longer. */
static void expect_no_late_unit(const unsigned *stalls, size_t n, unsigned gap)
{
	struct bench *b = bench_new();

	add_tables(b);
	play(b, 9000);
	for (size_t i = 0; i < n; i++) {
		hush(b, stalls[i]);
		play(b, gap);
	}
	play(b, 20000);
	cr_assert_eq(b->jumps, 1, "%u ms first: %u", stalls[0], b->jumps);
	judge_leads(b, LEAD_MS, 50);
	bench_free(b);
}

Test(cbr_stall, announces_a_delay_before_a_unit_is_late)
{
	static const unsigned one[] = { 700, 650, 800, 990 };
	static const unsigned sum[] = { 200, 180, 150, 170 };

	for (size_t i = 0; i < ARRAY_LEN(one); i++)
		expect_no_late_unit(&one[i], 1, 0);
	for (unsigned gap = 100; gap < 600; gap += 130)
		expect_no_late_unit(sum, ARRAY_LEN(sum), gap);
}

/* A unit of any track.  The path became 500 ms longer. */
Test(cbr_stall, announces_a_delay_before_a_unit_of_the_closest_sound_is_late)
{
	struct bench *b = bench_new();

	add_sounds(b, 400);
	play(b, 9000);
	b->least_ms = INFINITY;
	hush(b, 500);
	play(b, 20000);
	cr_assert_eq(b->jumps, 1, "%u", b->jumps);
	cr_assert_gt(b->least_ms, 0., "%.1f ms", b->least_ms);
	bench_free(b);
}

/* The units are late by more than their lead, but their packets follow. */
Test(cbr_stall, announces_no_delay_of_packets_that_catch_up)
{
	for (unsigned stall = 300; stall < 1000; stall += 50) {
		struct bench *b = bench_new();

		add_tables(b);
		play(b, 9000);
		hush(b, stall);
		b->clock_ms += stall;
		play(b, 20000);
		cr_assert_eq(b->jumps, 0, "%u ms", stall);
		bench_free(b);
	}
}

/* The packets that a late worker finds, and a jump that was due by then. */
Test(cbr_stall, no_time_base_begins_with_delayed_packets)
{
	for (unsigned before = 940; before <= 1100; before += TURN_MS) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, 400);
		play(b, before);
		b->now_ns += 900 * MS;
		cbr_run(b->cbr, b->now_ns, take, b);
		b->clock_ms += 900;
		play(b, 20000);
		cr_expect_eq(b->jumps, 1, "%u ms: %u", before, b->jumps);
		/* the queue is sent at twice the rate of the source */
		b->least_ms = INFINITY;
		b->most_ms = -INFINITY;
		play(b, 1000);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}

/* The process does not run for this time, and finds all packets of it. */
static void stop(struct bench *b, unsigned ms)
{
	b->least_ms = INFINITY;
	b->most_ms = -INFINITY;
	b->now_ns += ms * MS;
	for (unsigned done = 0; done < ms; done += 50) {
		b->clock_ms += 50;
		feed(b);
	}
	play(b, 1500);
}

Test(cbr_stall, a_stopped_worker_sends_each_unit_in_its_time)
{
	for (unsigned ms = 100; ms < 1000; ms += 50) {
		struct bench *b = bench_new();

		play(b, 9000);
		stop(b, ms);
		cr_expect_eq(b->jumps, 0, "%u ms: %u", ms, b->jumps);
		judge_leads(b, 60, 60);
		bench_free(b);
	}
}

/* Beyond a second the oldest packets are dropped. */
Test(cbr_stall, a_worker_that_was_stopped_for_long_announces_one_step)
{
	for (unsigned ms = 1200; ms <= 8000; ms += ms < 3000 ? 200 : 1000) {
		struct bench *b = bench_new();
		struct cbr_counters c;

		play(b, 9000);
		stop(b, ms);
		cr_expect_eq(b->jumps, 1, "%u ms: %u", ms, b->jumps);
		/* the queue has no room for more than two seconds; if all of
		 * it is late, the next packets leave at positions of the last
		 * second */
		judge_leads(b, ms <= 2000 ? 100 : 500, ms <= 3000 ? 100 : 1000);
		cbr_counters(b->cbr, &c);
		cr_expect_gt(c.late, 0u);
		cr_expect(ms > 2000 || c.overflow == 0);
		bench_free(b);
	}
}

/* The queue leaves first: the packets of the time arrive later. */
Test(cbr_stall, a_worker_that_was_stopped_with_a_queue_announces_one_step)
{
	for (unsigned ms = 1500; ms <= 8000; ms += 500) {
		struct bench *b = bench_new();

		play(b, 9000);
		b->clock_ms += 200;
		feed(b);
		cr_assert_gt(cbr_waiting(b->cbr), 0u);
		b->now_ns += ms * MS;
		cbr_run(b->cbr, b->now_ns, take, b);
		/* those beyond a second got lost */
		set_clock(b, b->clock_ms - 200 + ms);
		play(b, 1500);
		cr_expect_eq(b->jumps, 1, "%u ms: %u", ms, b->jumps);
		bench_free(b);
	}
}

/* The packets of a file are not late: they have not been read. */
Test(cbr_stall, a_stopped_worker_drops_no_packet_of_a_source_that_it_paces)
{
	struct bench *b = bench_new();
	struct cbr_counters c;

	play(b, 9000);
	b->now_ns += 3000 * MS;
	/* a sound, and a picture with a PCR */
	b->clock_ms += UNIT_MS;
	feed(b);
	play(b, 3000);
	cbr_counters(b->cbr, &c);
	cr_expect_eq(c.late, 0u);
	bench_free(b);
}
