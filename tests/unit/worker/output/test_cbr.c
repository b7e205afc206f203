/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An hour of a source in a second.  The test counts positions and computes PCRs
 * independently of cbr.c. */
#include "common/base/units.h"
#include "worker/output/cbr.h"

#include "common/base/util.h"
#include "proto/spec/io_spec.h"
#include "tests/unit/rounds.h"
#include "worker/output/pacer.h"
#include "worker/ts/pcr.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define START (UINT64_C(77777) * MS)
#define BITS 1504.

enum { PID = 0x101, OTHER = 0x102, TICK_MS = 10, SAMPLES = 4096 };

/* A PCR of the output: its position and its value without wrap. */
struct sample {
	uint64_t place;
	double ticks;
};

struct bench {
	struct cbr *cbr;
	uint64_t now_ns;
	double bps;

	/* the source */
	double source_bps;  /* of content */
	double ppm;         /* how fast its clock runs */
	double pcr_ms;      /* how far its PCRs are apart */
	double jump_ms;     /* of its clock */
	double due, pcr_due_ms;
	uint32_t sent;      /* numbers in the packets */
	uint64_t last_in;   /* PCR */
	uint8_t cc;

	/* the output */
	uint64_t places, nulls, extras, content, jumps;
	uint64_t began_ns;  /* the first that came */
	uint32_t expected;  /* number of the next content */
	uint8_t out_cc;
	bool has_cc;
	size_t most;        /* places in one run */
	size_t in_run;
	uint64_t in_all;
	uint64_t content_pcr; /* of the last packet that was no extra */
	uint64_t last_pcr, last_pcr_place;
	double gap_ms;      /* widest between two PCRs */
	double off_ms;      /* of the last PCR against the source's clock */
	struct sample samples[SAMPLES];
	size_t n_samples;
	double wrong_ns;    /* worst PCR against its place */
	bool gaps_allowed;
};

static struct bench *bench_new(unsigned kbps, double source_bps)
{
	struct bench *b = calloc(1, sizeof *b);

	b->cbr = cbr_new(kbps, PACER_BURST_MS);
	b->bps = kbps * 1000.;
	b->source_bps = source_bps;
	b->now_ns = START;
	b->pcr_ms = 35;
	return b;
}

static void bench_free(struct bench *b)
{
	cbr_free(&b->cbr);
	free(b);
}

/* The clock of the source in ticks. */
static double source_ticks(const struct bench *b)
{
	double ms = (double)(b->now_ns - START) / 1e6;

	return 27000. * (ms * (1 + b->ppm / 1e6) + b->jump_ms + 50);
}

/* The largest distance of the PCRs of a second from one straight line. */
static void judge_samples(struct bench *b)
{
	double n = (double)b->n_samples, x = 0, y = 0, xx = 0, xy = 0;
	double x0 = (double)b->samples[0].place, y0 = b->samples[0].ticks;

	for (size_t i = 0; i < b->n_samples; i++) {
		double px = (double)b->samples[i].place - x0;
		double py = b->samples[i].ticks - y0;

		x += px, y += py, xx += px * px, xy += px * py;
	}
	for (size_t i = 0; i < b->n_samples; i++) {
		double slope = (n * xy - x * y) / (n * xx - x * x);
		double line = (y - slope * x) / n +
			slope * ((double)b->samples[i].place - x0);
		double off = b->samples[i].ticks - y0 - line;

		b->wrong_ns = fmax(b->wrong_ns, fabs(off) * 1e9 / 27e6);
	}
	b->n_samples = 0;
}

static void take_pcr(struct bench *b, const uint8_t *p, uint64_t pcr)
{
	bool jump = ts_discontinuity(p);
	double in = fmod(source_ticks(b), (double)PCR_WRAP);

	b->off_ms = ((double)pcr - in) / 27000.;
	if (b->off_ms > 1e6)
		b->off_ms -= (double)PCR_WRAP / 27000.;
	if (b->off_ms < -1e6)
		b->off_ms += (double)PCR_WRAP / 27000.;
	b->jumps += jump;
	if (jump || b->last_pcr_place == 0) {
		b->n_samples = 0;
	} else {
		double ms = (double)pcr_diff(pcr, b->last_pcr) / 27000.;

		b->gap_ms = fmax(b->gap_ms, ms);
	}
	double before = b->n_samples > 0
		? b->samples[b->n_samples - 1].ticks +
			  (double)pcr_diff(pcr, b->last_pcr)
		: 0;

	b->samples[b->n_samples++] = (struct sample){ b->places, before };
	b->last_pcr = pcr;
	b->last_pcr_place = b->places;
	if ((double)(b->places - b->samples[0].place) * BITS >= b->bps ||
	    b->n_samples == SAMPLES)
		judge_samples(b);
}

static void take_content(struct bench *b, const uint8_t *p)
{
	uint32_t number;

	memcpy(&number, p + 184, sizeof number);
	if (!b->gaps_allowed)
		cr_assert_eq(number, b->expected);
	cr_assert_geq(number, b->expected, "in their order");
	b->expected = number + 1;
	if (ts_pid(p) != PID)
		return;
	if (b->has_cc && !b->gaps_allowed)
		cr_assert_eq(ts_cc(p), (b->out_cc + 1) % 16);
	b->has_cc = true;
	b->out_cc = ts_cc(p);
}

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_eq(runs[i].n % DATAGRAM_PACKETS, 0);
		for (size_t k = 0; k < runs[i].n; k++, b->places++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			uint64_t pcr;

			cr_assert(ts_sync_ok(p));
			if (ts_pcr(p, &pcr))
				take_pcr(b, p, pcr);
			if (ts_has_payload(p) && ts_pcr(p, &pcr))
				b->content_pcr = pcr;
			if (ts_pid(p) == TS_PID_NULL) {
				b->nulls++;
			} else if (ts_has_payload(p)) {
				b->content++;
				take_content(b, p);
			} else {
				cr_assert_eq(ts_cc(p), b->out_cc);
				b->extras++;
			}
			b->in_run++;
		}
	}
}

static void count_only(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n_runs; i++)
		b->in_all += runs[i].n;
}

static void make(struct bench *b, uint8_t *p)
{
	double ms = (double)(b->now_ns - START) / 1e6;
	bool pcr = b->pcr_ms > 0 && ms >= b->pcr_due_ms;
	uint16_t pid = pcr || b->sent % 3 > 0 ? PID : OTHER;

	memset(p, 0, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	ts_set_pid(p, pid);
	p[3] = 0x10;
	if (pid == PID)
		p[3] |= b->cc++ & 15;
	if (pcr) {
		b->pcr_due_ms = ms + b->pcr_ms;
		p[3] |= 0x20;
		p[4] = 7;
		p[5] = 0x10;
		b->last_in = (uint64_t)fmod(source_ticks(b), (double)PCR_WRAP);
		ts_set_pcr(p, b->last_in);
	}
	memcpy(p + 184, &b->sent, sizeof b->sent);
	b->sent++;
}

static void run(struct bench *b)
{
	b->in_run = 0;
	cbr_run(b->cbr, b->now_ns, take, b);
	b->most = MAX(b->most, b->in_run);
}

/* One wake-up: packets of the source since the last one arrive, then due
 * packets leave. */
static void turn(struct bench *b, unsigned ms)
{
	uint8_t packets[512 * TS_PACKET];
	size_t n = 0;

	for (unsigned i = 0; i < ms; i++) {
		b->now_ns += MS;
		b->due += b->source_bps / BITS / 1000;
		for (; b->due >= 1 && n < 511; b->due--) {
			if (b->sent % 50 == 7) {
				/* a null packet of the source */
				memset(packets + n * TS_PACKET, 0xff, 188);
				packets[n * TS_PACKET] = TS_SYNC_BYTE;
				packets[n * TS_PACKET + 1] = 0x1f;
				packets[n++ * TS_PACKET + 3] = 0x10;
			}
			make(b, packets + n++ * TS_PACKET);
		}
	}
	cbr_feed(b->cbr, &(struct ts_run){ packets, n }, n > 0, b->now_ns);
	if (b->began_ns == 0 && n > 0)
		b->began_ns = b->now_ns;
	run(b);
}

static void turns(struct bench *b, unsigned ms)
{
	for (unsigned done = 0; done < ms; done += TICK_MS)
		turn(b, TICK_MS);
}

static struct cbr_counters counted(const struct bench *b)
{
	struct cbr_counters c;

	cbr_counters(b->cbr, &c);
	return c;
}

/* Every content packet once and in order, exact PCRs without large gaps. */
static void judge(const struct bench *b)
{
	cr_assert_leq(b->wrong_ns, 500, "%.0f ns", b->wrong_ns);
	cr_assert_leq(b->gap_ms, 40, "%.2f ms", b->gap_ms);
	cr_assert_eq(b->nulls, counted(b).nulls);
	cr_assert_eq(b->extras, counted(b).pcrs);
}

static void judge_rate(const struct bench *b, uint64_t places, uint64_t ns)
{
	double due = (double)ns / 1e9 * b->bps / BITS;

	cr_assert_leq(fabs((double)places - due), DATAGRAM_PACKETS + 1,
		      "%.0f for %.0f", (double)places, due);
}

Test(cbr, fills_a_constant_rate_with_null_packets)
{
	static const struct {
		unsigned kbps;
		double source_bps, pcr_ms;
	} cases[] = {
		{ 10000, 6e6, 35 }, { 4000, 3.7e6, 90 }, { 1500, 300e3, 20 },
		{ 100, 60e3, 35 }, { 80000, 20e6, 100 }, { 3333, 3.1e6, 40 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench *b = bench_new(cases[i].kbps,
					    cases[i].source_bps);

		b->pcr_ms = cases[i].pcr_ms;
		turns(b, 1000);
		for (unsigned s = 0; s < 30; s++) {
			uint64_t places = b->places, ns = b->now_ns;

			turns(b, 1000);
			judge_rate(b, b->places - places, b->now_ns - ns);
		}
		judge(b);
		cr_assert_gt(b->content, 0);
		cr_assert_eq(counted(b).overflow, 0);
		cr_assert_leq((double)b->most,
			      b->bps / BITS / 100 + DATAGRAM_PACKETS);
		cr_assert_eq(b->jumps, 0);
		cr_assert_lt(b->sent - b->content, 100, "nothing waits");
		bench_free(b);
	}
}

Test(cbr, spreads_a_source_with_a_varying_rate)
{
	struct bench *b = bench_new(10000, 0);

	for (unsigned i = 0; i < 600; i++) {
		/* a picture exceeds the rate for a moment */
		b->source_bps = i % 10 == 0 ? 30e6 : 3e6 + 1e6 * (i % 4);
		turns(b, 50);
	}
	judge(b);
	judge_rate(b, b->places, b->now_ns - b->began_ns);
	cr_assert_eq(counted(b).overflow, 0);
	cr_assert_eq(b->jumps, 0);
	bench_free(b);
}

Test(cbr, follows_the_clock_of_the_source_for_hours)
{
	static const double ppm[] = { 30, -30 };

	for (size_t i = 0; i < ARRAY_LEN(ppm); i++) {
		struct bench *b = bench_new(500, 250e3);

		b->ppm = ppm[i];
		turns(b, 2 * 3600 * 1000 / ROUNDS_DIVISOR);
		/* 216 ms without correction.  The limit of the drift does not
		 * allow to reach 30 ppm without one new time base. */
		cr_assert_leq(fabs(b->off_ms), 40, "%.1f ms", b->off_ms);
		judge(b);
		cr_assert_leq(b->jumps, 1);
		bench_free(b);
	}
}

Test(cbr, announces_a_new_time_base_once_and_follows_at_once)
{
	static const double jumps[] = { 5000, -5000, 700, -1e8, 9e7 };

	for (size_t i = 0; i < ARRAY_LEN(jumps); i++) {
		struct bench *b = bench_new(5000, 3e6);

		turns(b, 5000);
		b->jump_ms = jumps[i] + (jumps[i] < -1e6 ? 1.1e8 : 0);
		turns(b, 5000);
		cr_assert_eq(b->jumps, 1);
		cr_assert_leq(fabs(b->off_ms), 30, "%.1f ms", b->off_ms);
		judge(b);
		bench_free(b);
	}
}

Test(cbr, follows_a_source_after_a_pause)
{
	struct bench *b = bench_new(5000, 3e6);
	double rate = b->source_bps;

	turns(b, 3000);
	b->source_bps = 0;
	turns(b, 1500);
	b->source_bps = rate;
	b->jump_ms = -1500; /* continues after the pause */
	turns(b, 3 * 4000);
	cr_assert_eq(b->jumps, 1);
	cr_assert_leq(fabs(b->off_ms), 30, "%.1f ms", b->off_ms);
	judge(b);
	bench_free(b);
}

Test(cbr, counts_every_dropped_packet)
{
	struct bench *b = bench_new(2000, 3e6);

	b->gaps_allowed = true;
	turns(b, 10000);
	cr_assert_gt(counted(b).overflow, 0);
	judge_rate(b, b->places, b->now_ns - b->began_ns);
	b->source_bps = 0;
	turns(b, 1500);
	cr_assert_eq(b->content + counted(b).overflow, b->sent);
	cr_assert_leq(b->wrong_ns, 500);
	cr_assert_leq(b->gap_ms, 40);
	bench_free(b);
}

Test(cbr, bridges_two_seconds_of_silence)
{
	struct bench *b = bench_new(2000, 1e6);
	uint64_t places;

	cr_assert_eq(cbr_next_ns(b->cbr), UINT64_MAX, "no packets at first");
	turns(b, 2000);
	b->source_bps = 0;
	turns(b, CBR_SILENCE_MS - 100);
	judge_rate(b, b->places, b->now_ns - b->began_ns);
	turns(b, 200);
	places = b->places;
	turns(b, 1000);
	cr_assert_eq(b->places, places);
	cr_assert_eq(cbr_next_ns(b->cbr), UINT64_MAX);
	b->source_bps = 1e6;
	turn(b, TICK_MS);
	places = b->places;
	turns(b, 2000);
	judge_rate(b, b->places - places, 2000 * MS);
	cr_assert_eq(b->jumps, 0, "the clock continued");
	bench_free(b);
}

Test(cbr, recovers_from_a_late_wake_up_in_small_bursts)
{
	struct bench *b = bench_new(8000, 4e6);

	turns(b, 3000);
	turn(b, 80);
	cr_assert(cbr_is_behind(b->cbr));
	/* then the worker wakes twice as often */
	while (cbr_is_behind(b->cbr)) {
		cr_assert_leq(b->now_ns, START + 4000 * MS);
		turn(b, TICK_MS / 2);
	}
	judge_rate(b, b->places, b->now_ns - b->began_ns);
	cr_assert_leq((double)b->most, b->bps / BITS / 100 + DATAGRAM_PACKETS);
	cr_assert_eq(counted(b).skipped, 0);

	/* and from a very late one in larger bursts */
	turn(b, 600);
	while (cbr_is_behind(b->cbr))
		turn(b, TICK_MS / 2);
	judge_rate(b, b->places, b->now_ns - b->began_ns);
	cr_assert_eq(counted(b).skipped, 0);
	/* there were no packets meanwhile */
	b->now_ns += 3000 * MS;
	turn(b, TICK_MS);
	cr_assert_eq(counted(b).late, 0);
	cr_assert_gt((double)counted(b).skipped, b->bps / BITS * 1.8);
	cr_assert_leq((double)b->most,
		      b->bps / BITS / 1000 * PACER_LATE_BURST_MS +
			      DATAGRAM_PACKETS);
	bench_free(b);
}

Test(cbr, drops_nothing_with_late_wake_ups)
{
	struct bench *b = bench_new(8000, 7.5e6);

	for (unsigned i = 0; i < 300; i++)
		turn(b, 33);
	cr_assert_eq(counted(b).skipped, 0);
	cr_assert_eq(counted(b).overflow, 0);
	judge(b);
	cr_assert_lt((double)(b->sent - b->content), b->bps / BITS / 4);
	bench_free(b);
}

/* One packet with a PCR; the PCR of the output. */
static uint64_t pass_pcr(struct bench *b, uint16_t pid, uint64_t pcr)
{
	uint8_t p[TS_PACKET] = { TS_SYNC_BYTE, [3] = 0x30, [4] = 7,
				 [5] = 0x10 };

	ts_set_pid(p, pid);
	ts_set_pcr(p, pcr);
	memcpy(p + 184, &b->sent, sizeof b->sent);
	b->sent++;
	b->now_ns += 10 * MS;
	cbr_feed(b->cbr, &(struct ts_run){ p, 1 }, 1, b->now_ns);
	for (unsigned i = 0; i < 8; i++, b->now_ns += 3 * MS)
		run(b);
	return b->content_pcr;
}

Test(cbr, follows_any_number_of_pids_over_time)
{
	struct bench *b = bench_new(2000, 0);

	b->gaps_allowed = true;
	for (unsigned i = 0; i < 2 * CBR_CLOCKS; i++) {
		uint16_t pid = (uint16_t)(0x100 + i);
		uint64_t pcr = UINT64_C(27000000) * 100 * i;

		(void)pass_pcr(b, pid, pcr);
		/* the second one is rewritten by its position */
		b->now_ns += 20 * MS;
		uint64_t left = pass_pcr(b, pid, pcr + 27000 * 40);

		cr_assert(left != pcr + 27000 * 40 && left > pcr &&
				  left < pcr + 27000 * 80,
			  "PID %u: %.1f ms", i, (double)(left - pcr) / 27000);
		for (unsigned k = 0; k < 300 && i >= CBR_CLOCKS - 1; k++) {
			b->now_ns += 10 * MS;
			run(b);
		}
	}
	bench_free(b);
}

Test(cbr, survives_random_bytes)
{
	struct bench *b = bench_new(20000, 0);
	uint8_t data[100 * TS_PACKET];
	uint32_t x = 12345;

	b->gaps_allowed = true;
	for (unsigned round = 0; round < 500; round++) {
		for (size_t i = 0; i < sizeof data; i++) {
			x = x * 1664525 + 1013904223;
			data[i] = (uint8_t)(x >> 24);
		}
		for (size_t i = 0; i < 100; i++) {
			data[i * TS_PACKET] = TS_SYNC_BYTE;
			if (i % 3 == 0)
				data[i * TS_PACKET + 1] &= 0x60;
		}
		b->now_ns += 10 * MS;
		cbr_feed(b->cbr, &(struct ts_run){ data, 100 }, 1, b->now_ns);
		b->in_run = 0;
		cbr_run(b->cbr, b->now_ns, count_only, b);
	}
	judge_rate(b, b->in_all, b->now_ns - START - 10 * MS);
	bench_free(b);
}

Test(cbr, sends_smaller_bursts_if_configured)
{
	struct bench *b = bench_new(8000, 4e6);

	cbr_free(&b->cbr);
	b->cbr = cbr_new(8000, 2);
	for (unsigned i = 0; i < 3000; i++)
		turn(b, 2);
	judge(b);
	judge_rate(b, b->places, b->now_ns - b->began_ns);
	cr_assert_leq((double)b->most, b->bps / BITS / 500 + DATAGRAM_PACKETS);
	bench_free(b);
}
