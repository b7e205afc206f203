/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clocks of several programs behind a pause of all of them. */
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/output/cbr.h"
#include "worker/output/pacer.h"
#include "worker/ts/pcr.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
	N = 3, /* programs */
	PID = 0x100,
	KBPS = 4000,
	TURN_MS = 10,
	PCR_INTERVAL_MS = 40,
	FILL = 10, /* packets beside each PCR: 1.2 Mbit/s together */
};

#define PCR_MS (PCR_HZ / 1000)

struct bench {
	struct cbr *cbr;
	struct build *ts;
	uint64_t now_ns;
	int64_t clock_ms, next_ms; /* of the sources */
	unsigned jumps[N];
	uint64_t jumped_ns[N], pcr[N];
	unsigned back; /* unannounced steps back */
};

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof *b);

	b->cbr = cbr_new(KBPS, PACER_BURST_MS);
	b->ts = build_new();
	b->now_ns = UINT64_C(77777) * MS;
	b->clock_ms = b->next_ms = 100000;
	return b;
}

static void bench_free(struct bench *b)
{
	cbr_free(&b->cbr);
	build_free(b->ts);
	free(b);
}

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			unsigned n = ts_pid(p) - PID;
			uint64_t pcr;

			if (!ts_pcr(p, &pcr))
				continue;
			if (ts_discontinuity(p)) {
				b->jumps[n]++;
				b->jumped_ns[n] = b->now_ns;
			} else if (b->pcr[n] != 0) {
				b->back += wrap_diff(pcr, b->pcr[n],
						     PCR_WRAP) < 0;
			}
			b->pcr[n] = pcr;
		}
}

/* The PCRs of the programs are a third of an interval apart, with the time
 * bases of other studios. */
static void feed(struct bench *b)
{
	struct ts_run run;

	b->ts->n = 0;
	for (; b->next_ms <= b->clock_ms; b->next_ms += PCR_INTERVAL_MS / N) {
		unsigned n = (unsigned)(b->next_ms / (PCR_INTERVAL_MS / N)) %
			     N;
		uint8_t *p = build_payload(b->ts, (uint16_t)(PID + n), 0);

		p[3] |= 0x20;
		p[4] = 7;
		p[5] = 0x10;
		ts_set_pcr(p, ((uint64_t)b->next_ms + n * 1000000U) * PCR_MS);
		for (unsigned i = 0; i < FILL; i++)
			(void)build_payload(b->ts, (uint16_t)(PID + n), 0);
	}
	run = build_run(b->ts);
	cbr_feed(b->cbr, &run, run.n > 0, b->now_ns);
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

static void hush(struct bench *b, unsigned ms)
{
	for (unsigned done = 0; done < ms; done += TURN_MS) {
		b->now_ns += TURN_MS * MS;
		cbr_run(b->cbr, b->now_ns, take, b);
	}
}

Test(cbr_programs, no_clock_jumps_for_packets_that_arrive_in_a_burst)
{
	static const struct {
		unsigned stall, turns;
	} cases[] = {
		{ 1000, 1 }, { 1000, 4 }, { 1500, 1 }, { 1500, 5 },
		{ 1500, 20 }, { 1990, 1 }, { 2100, 2 }, { 2700, 1 },
		{ 2700, 10 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, cases[i].stall);
		for (unsigned k = 0; k < cases[i].turns; k++) {
			b->clock_ms += cases[i].stall / cases[i].turns;
			play(b, TURN_MS);
		}
		play(b, 20000);
		for (unsigned n = 0; n < N; n++)
			cr_expect_eq(b->jumps[n], 0, "%u ms, %u turns, "
				     "program %u: %u", cases[i].stall,
				     cases[i].turns, n, b->jumps[n]);
		cr_expect_eq(b->back, 0);
		bench_free(b);
	}
}

Test(cbr_programs, each_clock_that_stopped_announces_its_jump_once)
{
	static const unsigned stalls[] = { 1000, 1500, 2100, 2700, 15000 };

	for (size_t i = 0; i < ARRAY_LEN(stalls); i++) {
		struct bench *b = bench_new();
		uint64_t back;

		play(b, 9000);
		hush(b, stalls[i]);
		back = b->now_ns;
		play(b, 15000);
		for (unsigned n = 0; n < N; n++) {
			cr_expect_eq(b->jumps[n], 1, "%u ms, program %u: %u",
				     stalls[i], n, b->jumps[n]);
			cr_expect_leq(b->jumped_ns[n] - back, 150 * MS);
		}
		bench_free(b);
	}
}
