/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frequency and the drift of the PCRs that a constant bit rate writes, as a
 * receiver measures them (ISO/IEC 13818-1 2.4.2.1, TR 101 290 PCR_FO and
 * PCR_DR).
 *
 * The measuring filter: the distance of each PCR from the time of its position
 * is averaged over BLOCK_S.  The frequency offset is the difference of two
 * consecutive averages by the time between them, the drift that of two
 * frequencies.  The quantisation of the PCRs causes less than 1 mHz/s then.
 */
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/rounds.h"
#include "worker/output/cbr.h"
#include "worker/output/pacer.h"
#include "worker/ts/pcr.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START (UINT64_C(77777) * MS)
#define HOUR UINT64_C(3600)

enum { PID = 0x101, KBPS = 200, BLOCK_S = 10, PCR_MS = 40, BURST_MAX = 400 };

/* What disturbs the arrival of the packets. */
struct scene {
	const char *name;
	double ppm;        /* of the clock of the source */
	double jitter_ms;  /* random delay of each PCR, at most */
	double step_ms;    /* change of the delay of the path ... */
	uint64_t step_s;   /* ... at this time */
	double jump_ms;    /* of the clock of the source, after 30 s */
	uint64_t burst_s;  /* the source exceeds the rate for 20 s from then */
	bool uneven;       /* the wake-ups are 5 to 15 ms apart */
	unsigned jumps;    /* announced discontinuities, at most */
	double off_ms;     /* left at the end, at most */
	uint64_t lasts_s;  /* 0: three hours */
};

struct bench {
	const struct scene *scene;
	struct cbr *cbr;
	uint64_t now_ns;
	uint32_t random;

	/* the source */
	uint64_t pcrs;       /* sent */
	double last_arrival; /* ms */
	uint8_t cc;

	/* the output */
	uint64_t places;
	uint64_t last_pcr;
	bool has_pcr;
	double phase;     /* s: the PCRs by the time of their positions */
	/* a block: sums of phases and times; the values of the one before */
	double sum, sum_at, block_at, before, before_at, before_frequency;
	unsigned n, blocks;
	unsigned jumps;
	double frequency, drift; /* the largest */
	unsigned wrong;   /* unannounced steps back, or of more than 100 ms */
};

static double random_below(struct bench *b, double most)
{
	b->random = b->random * 1664525 + 1013904223;
	return most * (b->random >> 8) / (1 << 24);
}

static void end_block(struct bench *b)
{
	double mean = b->sum / b->n, at = b->sum_at / b->n;
	double frequency, drift;

	if (++b->blocks > 1) {
		frequency = (mean - b->before) / (at - b->before_at);
		b->frequency = fmax(b->frequency, fabs(frequency));
		drift = (frequency - b->before_frequency) / BLOCK_S;
		if (b->blocks > 2)
			b->drift = fmax(b->drift, fabs(drift));
		b->before_frequency = frequency;
	}
	b->before = mean;
	b->before_at = at;
	b->block_at += BLOCK_S;
	b->sum = b->sum_at = b->n = 0;
}

static void take_pcr(struct bench *b, const uint8_t *p, uint64_t pcr)
{
	double at = (double)b->places * TS_PACKET * 8 / (KBPS * 1000.);

	int64_t step = wrap_diff(pcr, b->last_pcr, PCR_WRAP);

	if (b->has_pcr && !ts_discontinuity(p)) {
		b->wrong += step <= 0 || step > (int64_t)PCR_HZ / 10;
		b->phase += (double)step / (double)PCR_HZ;
	} else {
		b->jumps += b->has_pcr;
		b->phase = at;
		b->block_at = at;
		b->blocks = b->n = 0;
		b->sum = b->sum_at = 0;
	}
	b->has_pcr = true;
	b->last_pcr = pcr;
	while (at >= b->block_at + BLOCK_S)
		end_block(b);
	b->sum += b->phase - at;
	b->sum_at += at;
	b->n++;
}

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++, b->places++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			uint64_t pcr;

			if (ts_pcr(p, &pcr))
				take_pcr(b, p, pcr);
		}
}

static void make(struct bench *b, uint8_t *p, bool pcr)
{
	int64_t ms = (int64_t)b->pcrs * PCR_MS, wrap = (int64_t)PCR_WRAP;

	if (ms >= 30000)
		ms += (int64_t)b->scene->jump_ms;
	memset(p, 0, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	ts_set_pid(p, PID);
	p[3] = (uint8_t)(0x10 | (b->cc++ & 0x0f));
	if (!pcr)
		return;
	p[3] |= 0x20;
	p[4] = 7;
	p[5] = 0x10;
	ts_set_pcr(p, (uint64_t)((ms * (int64_t)(PCR_HZ / 1000) + wrap) %
				 wrap));
}

static double seconds(const struct bench *b)
{
	return (double)(b->now_ns - START) / 1e9;
}

/* The time in ms at which the next PCR arrives. */
static double next_arrival(const struct bench *b)
{
	double ms = (double)b->pcrs * PCR_MS / (1 + b->scene->ppm / 1e6);

	return ms + (ms >= (double)b->scene->step_s * 1000
			     ? b->scene->step_ms : 0);
}

static void turn(struct bench *b)
{
	static uint8_t packets[BURST_MAX * TS_PACKET];
	bool burst = b->scene->burst_s > 0 &&
		     seconds(b) >= (double)b->scene->burst_s &&
		     seconds(b) < (double)b->scene->burst_s + 20;
	size_t n = 0;

	b->now_ns += (uint64_t)((b->scene->uneven ? 5 + random_below(b, 10)
						  : 10) * 1e6);
	while (b->last_arrival <= seconds(b) * 1000 && n + 16 < BURST_MAX) {
		double next;

		make(b, packets + n++ * TS_PACKET, true);
		for (unsigned i = 0; i < (burst ? 12 : 2); i++)
			make(b, packets + n++ * TS_PACKET, false);
		b->pcrs++;
		next = next_arrival(b) + random_below(b, b->scene->jitter_ms);
		b->last_arrival = fmax(b->last_arrival, next);
	}
	cbr_feed(b->cbr, &(struct ts_run){ packets, n }, n > 0, b->now_ns);
	cbr_run(b->cbr, b->now_ns, take, b);
}

/* The distance of the output's clock from that of the source, on arrival. */
static double off_ms(const struct bench *b)
{
	double out = (double)b->last_pcr / 27000.;
	double in = (seconds(b) * 1000 -
		     (b->scene->step_s > 0 ? b->scene->step_ms : 0)) *
		    (1 + b->scene->ppm / 1e6);

	/* modulo the wrap of the PCRs */
	return remainder(out - in - b->scene->jump_ms,
			 (double)PCR_WRAP / 27000.);
}

static void play(const struct scene *scene)
{
	struct bench *b = calloc(1, sizeof *b);
	uint64_t lasts_s = scene->lasts_s > 0 ? scene->lasts_s : 3 * HOUR;

	b->scene = scene;
	b->cbr = cbr_new(KBPS, PACER_BURST_MS);
	b->now_ns = START;
	b->random = 4711;
	while (seconds(b) < (double)lasts_s)
		turn(b);
	cr_assert_leq(b->frequency * 27e6, 810, "%s: %.1f Hz", scene->name,
		      b->frequency * 27e6);
	cr_assert_leq(b->drift * 27e9, 75, "%s: %.1f mHz/s", scene->name,
		      b->drift * 27e9);
	cr_assert_eq(b->wrong, 0, "%s, %.0f ms: %u", scene->name,
		     scene->jump_ms, b->wrong);
	cr_assert_leq(b->jumps, scene->jumps, "%s: %u", scene->name, b->jumps);
	/* and the packets of up to 80 ms between the last PCR and now */
	cr_assert_leq(fabs(off_ms(b) + 40), scene->off_ms + 40,
		      "%s %.0f: %.1f ms", scene->name, scene->jump_ms,
		      off_ms(b));
	if (getenv("VERBOSE") != NULL)
		fprintf(stderr, "%-20s %.2f ppm %.1f mHz/s %u jumps %.1f ms\n",
			scene->name, b->frequency * 1e6, b->drift * 27e9,
			b->jumps, off_ms(b));
	cbr_free(&b->cbr);
	free(b);
}

/* Under the sanitizers the last one alone: each lasts hours. */
static void play_all(const struct scene *scenes, size_t n)
{
	for (size_t i = SANITIZED ? n - 1 : 0; i < n; i++)
		play(&scenes[i]);
}

Test(cbr_frequency, a_steady_source_with_jitter)
{
	static const struct scene scenes[] = {
		{ .name = "steady", .off_ms = 20 },
		{ .name = "uneven wake-ups", .uneven = true, .off_ms = 20 },
		{ .name = "8 ms", .jitter_ms = 8, .off_ms = 20 },
		{ .name = "35 ms", .jitter_ms = 35, .uneven = true,
		  .off_ms = 40 },
	};

	play_all(scenes, ARRAY_LEN(scenes));
}

Test(cbr_frequency, a_change_of_the_path)
{
	static const struct scene scenes[] = {
		{ .name = "30 ms longer", .step_ms = 30, .step_s = 600,
		  .off_ms = 20 },
		{ .name = "30 ms shorter", .step_ms = -30, .step_s = 600,
		  .off_ms = 20 },
		{ .name = "90 ms longer", .step_ms = 90, .step_s = 60,
		  .jitter_ms = 5, .off_ms = 40, .lasts_s = 6 * HOUR },
		{ .name = "200 ms longer", .step_ms = 200, .step_s = 60,
		  .jumps = 1, .off_ms = 20, .lasts_s = 600 },
		{ .name = "200 ms shorter", .step_ms = -200, .step_s = 60,
		  .jumps = 1, .off_ms = 20, .lasts_s = 600 },
	};

	play_all(scenes, ARRAY_LEN(scenes));
}

Test(cbr_frequency, an_overflow)
{
	static const struct scene scenes[] = {
		{ .name = "overflow", .burst_s = 30, .off_ms = 20 },
		{ .name = "overflow, jitter", .burst_s = 300, .jitter_ms = 8,
		  .uneven = true, .off_ms = 20 },
	};

	play_all(scenes, ARRAY_LEN(scenes));
}

Test(cbr_frequency, a_source_with_another_frequency)
{
	static const struct scene scenes[] = {
		{ .name = "1 ppm", .ppm = 1, .off_ms = 20 },
		{ .name = "-5 ppm", .ppm = -5, .off_ms = 20 },
		{ .name = "10 ppm", .ppm = 10, .jitter_ms = 5, .off_ms = 20 },
		{ .name = "-20 ppm", .ppm = -20, .off_ms = 80,
		  .lasts_s = 6 * HOUR },
		{ .name = "20 ppm", .ppm = 20, .uneven = true, .jitter_ms = 5,
		  .off_ms = 80, .lasts_s = 6 * HOUR },
	};

	play_all(scenes, ARRAY_LEN(scenes));
}

/* The limit of the drift does not allow to follow without a break. */
Test(cbr_frequency, a_source_at_the_limit_of_the_frequency)
{
	static const struct scene scenes[] = {
		{ .name = "30 ppm", .ppm = 30, .jumps = 1, .off_ms = 40 },
		{ .name = "-30 ppm", .ppm = -30, .jumps = 1, .off_ms = 40 },
		{ .name = "30 ppm, jitter", .ppm = 30, .jumps = 1,
		  .jitter_ms = 8, .uneven = true, .off_ms = 40,
		  .lasts_s = 8 * HOUR },
		{ .name = "60 ppm", .ppm = 60, .jumps = 4, .off_ms = 110 },
	};

	play_all(scenes, ARRAY_LEN(scenes));
}

/* A network or a disk that is too slow: the output goes on at the last
 * frequency and jumps back. */
Test(cbr_frequency, a_source_that_does_not_keep_up)
{
	static const struct scene scenes[] = {
		{ .name = "0.5 % slow", .ppm = -5000, .jumps = 4,
		  .off_ms = 500, .lasts_s = 120 },
		{ .name = "2 % slow", .ppm = -20000, .jumps = 8,
		  .off_ms = 700, .lasts_s = 120 },
		{ .name = "10 % slow", .ppm = -100000, .jumps = 20,
		  .off_ms = 1500, .lasts_s = 120 },
	};

	play_all(scenes, ARRAY_LEN(scenes));
}

/* From 1 ms to 13 h in both directions. */
Test(cbr_frequency, a_jump_of_the_source)
{
	const double last = 13 * 3600e3;

	for (double ms = 1; ms < 1.5 * last; ms *= 1.5) {
		double jump = round(fmin(ms, last));
		struct scene on = { .name = "jump", .jump_ms = jump,
				    .jumps = jump >= 80, .lasts_s = 60,
				    .off_ms = jump < 120 ? 140 : 20 };
		struct scene back = on;

		back.jump_ms = -jump;
		play(&on);
		play(&back);
	}
}
