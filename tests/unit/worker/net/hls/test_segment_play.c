/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/net/hls/segment_play.h"

#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>

#define START (777 * MS)

enum {
	PID = 0x101,
	EVERY = 40,    /* packets between two PCRs, one a millisecond */
	TICK_MS = 10,
	ROOM = 5577,   /* of the smallest buffer */
	READ = 256 * 1024, /* bytes that the network delivers at once */
	LEAD_MS = 60000, /* more than the buffer holds */
};

struct bench {
	struct segment_play *play;
	struct batch batch;
	size_t segment; /* packets */
	bool cuts;      /* between all segments */
	uint64_t made;  /* packets */
	size_t at;      /* bytes of the segment already pushed */
	size_t came;    /* packets sent */
	size_t pcrs;
	uint64_t pcr;   /* the last PCR */
	uint64_t step;  /* largest distance of two PCRs */
	struct build *build;
};

static void note_pcr(struct bench *b, const uint8_t *packet)
{
	uint64_t pcr;

	if (!ts_pcr(packet, &pcr))
		return;
	if (b->pcrs++ > 0)
		b->step = MAX(b->step, pcr > b->pcr ? pcr - b->pcr
						    : b->pcr - pcr);
	b->pcr = pcr;
}

static void on_packets(const struct ts_run *runs, size_t n, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n; i++) {
		b->came += runs[i].n;
		for (size_t k = 0; k < runs[i].n; k++)
			note_pcr(b, runs[i].data + k * TS_PACKET);
	}
}

static struct bench *setup(size_t segment)
{
	struct bench *b = calloc(1, sizeof *b);

	batch_init(&b->batch, on_packets, b);
	b->play = segment_play_new(LEAD_MS, ROOM, START);
	b->segment = segment;
	b->build = build_new();
	return b;
}

static void teardown(struct bench *b)
{
	segment_play_free(&b->play);
	build_free(b->build);
	free(b);
}

static void make_segment(struct bench *b)
{
	b->build->n = 0;
	b->at = 0;
	for (size_t i = 0; i < b->segment; i++, b->made++)
		if (b->made % EVERY == 0)
			build_pcr(b->build, PID, b->made * 27000);
		else
			build_null(b->build);
	segment_play_begin(b->play, b->cuts);
}

/* Pushes until the buffer is full. */
static void push(struct bench *b)
{
	for (;;) {
		struct ts_run run = build_run(b->build);
		size_t len = MIN(run.n * TS_PACKET - b->at, (size_t)READ);

		if (len > 0 &&
		    !segment_play_push(b->play, run.data + b->at, len))
			return;
		b->at += len;
		if (b->at < run.n * TS_PACKET)
			continue;
		if (!segment_play_end(b->play))
			return;
		make_segment(b);
	}
}

static void run(struct bench *b, unsigned ms)
{
	make_segment(b);
	for (unsigned at = 0; at < ms; at += TICK_MS) {
		push(b);
		(void)segment_play_take(b->play, &b->batch, START + at * MS);
	}
}

/* Whatever remains when the next data finds no room. */
Test(segment_play, a_buffer_below_the_lead_plays_when_it_is_full)
{
	for (size_t segment = 1500; segment < 4000; segment += 75) {
		struct bench *b = setup(segment);

		run(b, 20000);
		cr_assert_gt(b->came, 18000, "segments of %zu: %zu", segment,
			     b->came);
		teardown(b);
	}
}

Test(segment_play, a_buffer_full_of_cuts_plays_when_it_is_full)
{
	struct bench *b = setup(EVERY);

	b->cuts = true;
	run(b, 20000);
	cr_assert_gt(b->came, 18000, "%zu", b->came);
	teardown(b);
}

/* A second of video with PCRs at this offset. */
static void push_pictures(struct bench *b, uint64_t dts, uint64_t off)
{
	struct ts_run run;

	b->build->n = 0;
	for (uint64_t i = 0; i < 25; i++, dts += 3600) {
		uint8_t *p = build_pcr(b->build, PID, (dts + off) * 300);

		memcpy(p + 12, (const uint8_t[]){ 0, 0, 1, 0xe0, 0, 0, 0x80,
						  0x80, 5 }, 9);
		p[1] |= 0x40;
		p[3] |= 0x10;
		p[4] = 7;
		pes_set_time(p + 21, dts);
	}
	run = build_run(b->build);
	segment_play_begin(b->play, false);
	cr_assert(segment_play_push(b->play, run.data, run.n * TS_PACKET));
	cr_assert(segment_play_end(b->play));
}

/* However much data arrives at once. */
Test(segment_play, a_segment_with_rebuilt_pcrs_keeps_none_of_its_own)
{
	struct segment_play_counters counters;
	struct bench *b = setup(0);

	segment_play_set_pace(b->play, 1, 0);
	push_pictures(b, 900000, 0);
	push_pictures(b, 990000, 45000000);
	push_pictures(b, 1080000, 0);
	segment_play_queue(b->play)->ended = true;
	for (unsigned at = 0; at < 5000; at += TICK_MS)
		(void)segment_play_take(b->play, &b->batch, START + at * MS);
	cr_assert_geq(b->pcrs, 75);
	cr_assert_eq(b->step, 40 * 27000, "%llu ms",
		     (unsigned long long)b->step / 27000);
	segment_play_counters(b->play, &counters);
	cr_assert_eq(counters.unannounced, 0);
	teardown(b);
}
