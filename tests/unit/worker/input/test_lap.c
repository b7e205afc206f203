/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A looped file: worker/input/file_input measures and joins laps so. */
#include "worker/input/lap.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/splice/splice.h"
#include "worker/ts/analyze.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PASSES = 3,
	VIDEO = 0x101,
	AUDIO = 0x102,
	FRAME = 3600, /* 25 a second */
	SYNC_FRAME = 2160,
	FRAMES = 51,
};

/* Bytes of a PES in its first packet; 0: it has one packet. */
static size_t split;

static void set_pts(uint8_t *packet, uint64_t pts)
{
	struct pes_times at;

	cr_assert(pes_times(packet, &at));
	pes_set_time(packet + at.pts, pts % PES_TIME_WRAP);
}

/* A PES with this PTS. */
static void add_unit(struct build *b, uint16_t pid, uint64_t pts)
{
	set_pts(build_pes(b, pid, "u", 1), pts);
	if (split > 0)
		build_split(b, split);
}

/* Two seconds, video and audio of the same length, from time start on. */
static struct build *make_clip(uint64_t start)
{
	struct build *b = build_new();

	build_tables(b);
	for (uint64_t i = 0; i < FRAMES; i++) {
		(void)build_pcr(b, VIDEO,
				(start + i * FRAME) * 300 % PCR_WRAP);
		add_unit(b, VIDEO, start + i * FRAME + 9000);
		(void)build_payload(b, VIDEO, 0xaa);
		if (i * FRAME % (SYNC_FRAME * 5) == 0)
			for (uint64_t k = 0; k < 5; k++)
				add_unit(b, AUDIO,
					 start + i * FRAME + k * SYNC_FRAME);
	}
	return b;
}

struct joined {
	uint8_t *data;
	size_t n;
};

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct joined *j = arg;

	for (size_t i = 0; i < n_runs; i++) {
		memcpy(j->data + j->n * TS_PACKET, runs[i].data,
		       runs[i].n * TS_PACKET);
		j->n += runs[i].n;
	}
}

/* PASSES passes over data, joined; the caller frees. */
static uint8_t *join(const uint8_t *data, size_t n)
{
	struct joined j = { .data = malloc(PASSES * n * TS_PACKET) };
	struct splice *s = splice_new(&(struct splice_config){
		.out = on_out, .arg = &j, .keep_jumps = true,
	});
	struct ts_run run = { .data = data, .n = n };

	for (size_t pass = 0; pass < PASSES; pass++) {
		struct lap lap = { 0 };

		for (size_t i = 0; i < n; i++)
			lap_feed(&lap, data + i * TS_PACKET);
		splice_feed(s, &run, 1, 0);
		splice_shift(s, lap_length(&lap));
	}
	splice_free(&s);
	cr_assert_eq(j.n, PASSES * n, "no packet is dropped");
	return j.data;
}

static uint32_t count_cc_errors(const uint8_t *data, size_t n)
{
	struct analyze_config config = { 0 };
	struct analyze *a = analyze_new(&config);
	struct analyze_report report;

	analyze_feed(a, (struct ts_run){ .data = data, .n = n });
	analyze_every_second(a, 1000, &report);
	analyze_free(&a);
	return report.cc_error;
}

/* The smallest and the largest distance between decoding times of pid. */
static void find_steps(const uint8_t *data, size_t n, uint16_t pid,
		       uint64_t *ret_min, uint64_t *ret_max)
{
	uint64_t last = 0, step;
	struct pes_reader reader = { 0 };
	struct pes_stamps at;
	bool started = false;

	*ret_min = PES_TIME_WRAP;
	*ret_max = 0;
	for (const uint8_t *p = data; p < data + n * TS_PACKET;
	     p += TS_PACKET) {
		if (ts_pid(p) != pid ||
		    pes_reader_take(&reader, p, &at) != PES_READ)
			continue;
		step = (at.dts - last) & (PES_TIME_WRAP - 1);
		if (started && step < *ret_min)
			*ret_min = step;
		if (started && step > *ret_max)
			*ret_max = step;
		started = true;
		last = at.dts;
	}
	cr_assert(started);
}

static uint64_t find_largest_pcr_step(const uint8_t *data, size_t n)
{
	uint64_t last = 0, pcr, largest = 0;
	bool started = false;

	for (size_t i = 0; i < n; i++) {
		if (!ts_pcr(data + i * TS_PACKET, &pcr))
			continue;
		/* a PCR that goes back differs by nearly PCR_WRAP */
		if (started && pcr_diff(pcr, last) > largest)
			largest = pcr_diff(pcr, last);
		started = true;
		last = pcr;
	}
	return largest;
}

static void check_joined(struct build *b)
{
	size_t n = PASSES * b->n;
	uint8_t *all = join(b->data, b->n);
	uint64_t min, max;

	cr_expect_eq(count_cc_errors(all, n), 0);
	find_steps(all, n, VIDEO, &min, &max);
	cr_expect_eq(min, FRAME);
	cr_expect_eq(max, FRAME);
	find_steps(all, n, AUDIO, &min, &max);
	cr_expect_eq(min, SYNC_FRAME);
	cr_expect_eq(max, SYNC_FRAME);
	cr_expect_eq(find_largest_pcr_step(all, n), FRAME * 300);
	free(all);
}

Test(lap, counters_and_time_stamps_continue)
{
	struct build *b = make_clip(90000);

	check_joined(b);
	build_free(b);
}

/* The last packets are sparse: by the PCRs alone the lap would be longer. */
Test(lap, reads_times_of_headers_that_several_packets_have)
{
	for (split = 1; split < PES_HEADER + 5; split++) {
		struct build *b = make_clip(90000);

		for (unsigned i = 0; i < 30; i++)
			(void)build_null(b);
		check_joined(b);
		build_free(b);
	}
}

Test(lap, continues_over_the_wrap_of_33_bits)
{
	struct build *b = make_clip(PES_TIME_WRAP - 45000);

	check_joined(b);
	build_free(b);
}

Test(lap, changes_nothing_in_the_first_pass)
{
	struct build *b = make_clip(90000);
	uint8_t *all = join(b->data, b->n);

	cr_assert_arr_eq(all, b->data, b->n * TS_PACKET);
	free(all);
	build_free(b);
}

Test(lap, keeps_a_loss_inside_a_pass)
{
	struct build *b = make_clip(90000);
	uint8_t *all;

	/* the counter of one packet is lost: two breaks around it, each pass */
	for (size_t i = b->n / 2; i < b->n; i++) {
		uint8_t *p = build_packet(b, i);

		if (ts_pid(p) == VIDEO && ts_has_payload(p)) {
			ts_set_cc(p, ts_cc(p) + 5U);
			break;
		}
	}
	cr_assert_eq(count_cc_errors(b->data, b->n), 2);
	all = join(b->data, b->n);
	cr_assert_eq(count_cc_errors(all, PASSES * b->n), 2 * PASSES);
	free(all);
	build_free(b);
}

Test(lap, uses_the_length_of_the_pcr_without_time_stamps)
{
	struct build *b = build_new();
	uint8_t *all;

	for (uint64_t i = 0; i < 100; i++) {
		(void)build_pcr(b, VIDEO, i * 27000 * 20);
		(void)build_payload(b, VIDEO, 0xaa);
	}
	all = join(b->data, b->n);
	cr_expect_eq(count_cc_errors(all, PASSES * b->n), 0);
	/* 20 ms each; over the seam to within a packet */
	cr_expect_leq(find_largest_pcr_step(all, PASSES * b->n),
		      27000 * 31);
	free(all);
	build_free(b);
}

Test(lap, joins_the_clip_of_the_demo)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	size_t n;
	uint64_t min, max;
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/etc/demo.ts",
		       srcdir != NULL ? srcdir : ".");
	file = fopen(path, "rb");
	cr_assert_not_null(file, "%s", path);

	uint8_t *data = malloc(4 * 1024 * 1024);

	n = fread(data, TS_PACKET, 4 * 1024 * 1024 / TS_PACKET, file);
	(void)fclose(file);
	cr_assert_gt(n, 1000);

	uint8_t *all = join(data, n);

	cr_expect_eq(count_cc_errors(all, PASSES * n), 0);
	cr_expect_leq(find_largest_pcr_step(all, PASSES * n),
		      27000 * 100, "PCR within 100 ms over the seam");
	find_steps(all, PASSES * n, 0x100, &min, &max);
	cr_expect_eq(min, FRAME, "%ju", (uintmax_t)min);
	cr_expect_eq(max, FRAME, "%ju", (uintmax_t)max);
	free(all);
	free(data);
}

static uint64_t ticks_of(uint64_t ns)
{
	return (ns * 9 + 50000) / 100000;
}

/* The time to the decoding of the unit that begins in the first packet. */
static uint64_t lead_of(const struct lap *lap, const struct build *b, size_t n)
{
	struct ts_run run = { b->data, n };

	return ticks_of(lap_lead_ns(lap, &run, 1));
}

static void swap_last(struct build *b)
{
	uint8_t copy[TS_PACKET], *last = build_packet(b, b->n - 1);

	memcpy(copy, last, TS_PACKET);
	memcpy(last, last - TS_PACKET, TS_PACKET);
	memcpy(last - TS_PACKET, copy, TS_PACKET);
}

/* The place of the next file of a list: by the presented units, not by the sent
 * packets, and across the wrap. */
Test(lap, distinguishes_the_end_of_packets_from_the_end_of_units)
{
	const uint64_t start = PES_TIME_WRAP - 10 * FRAME;
	const uint64_t play = (FRAMES - 1) * FRAME;
	struct build *b = make_clip(start);
	struct lap lap = { 0 };
	uint64_t clock;

	for (size_t i = 0; i < b->n; i++)
		lap_feed(&lap, build_packet(b, i));
	clock = ticks_of(lap_clock_ns(&lap));
	cr_assert_eq(ticks_of(lap_pcr_ns(&lap)), play);
	cr_assert_gt(clock, play, "packets follow the last PCR");
	cr_assert_lt(clock, play + 3 * FRAME);
	/* a picture more, and the 100 ms of its lead */
	cr_assert_eq(ticks_of(lap_track_ns(&lap, VIDEO)),
		     play + FRAME + 9000);
	cr_assert_eq(lap_track_ns(&lap, 0x1ff), 0u);
	b->n = 0;
	add_unit(b, VIDEO, start + play + 4500);
	cr_assert_eq(lead_of(&lap, b, 1), 4500u);
	/* another PES is between the two parts of its header */
	for (split = 1; split < PES_HEADER + 5; split++) {
		b->n = 0;
		add_unit(b, VIDEO, start + play + 4500);
		set_pts(build_pes(b, AUDIO, "a", 1), start);
		swap_last(b);
		cr_assert_eq(lead_of(&lap, b, 1), 0u, "the rest is missing");
		cr_assert_eq(lead_of(&lap, b, 3), 4500u);
	}
	build_free(b);
}

/* PTS and DTS wrap every 26.5 hours. */
Test(lap, a_file_of_a_day_has_its_length)
{
	static const uint64_t hours[] = { 1, 13, 14, 26, 27, 53 };
	const uint64_t hour = UINT64_C(3600) * 90000;

	for (size_t i = 0; i < ARRAY_LEN(hours); i++) {
		struct build *b = build_new();
		struct lap lap = { 0 };

		for (uint64_t k = 0; k <= hours[i]; k++) {
			(void)build_pcr(b, VIDEO, k * hour * 300 % PCR_WRAP);
			set_pts(build_pes(b, VIDEO, "v", 1), k * hour + 9000);
		}
		for (size_t k = 0; k < b->n; k++)
			lap_feed(&lap, b->data + k * TS_PACKET);
		cr_expect_eq(lap_length(&lap), (hours[i] + 1) * hour,
			     "%u hours", (unsigned)hours[i]);
		cr_expect_eq(lap_pcr_ns(&lap), hours[i] * 3600 * SECOND_NS);
		cr_expect_eq(lap_track_ns(&lap, VIDEO),
			     (hours[i] + 1) * 3600 * SECOND_NS +
				     100 * MS);
		build_free(b);
	}
}
