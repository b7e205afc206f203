/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PCRs of a multiplex while packets of an input are late. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/mux/mux.h"
#include "worker/ts/pcr.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
	KBPS = 4000,
	TICK_MS = 10,
	DELAY_MS = 400,
	TABLES_TICKS = 10,
	PMT_IN = 0x100, VIDEO_IN,
	VIDEO_OUT = 157,
	TICKS_MAX = 4096,
};

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct remux *remux;
	struct build *source;
	unsigned ticks; /* that the source has sent */
	uint64_t now_ns, base_ns;

	uint64_t pcr; /* the last one of the output; 0: none */
	int64_t back, ahead; /* the most that one was off the last one, ms */
	unsigned announced;
	uint64_t packets;
};

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			uint64_t pcr;
			int64_t step;

			if (ts_pid(p) != VIDEO_OUT)
				continue;
			r->packets++;
			if (!ts_pcr(p, &pcr))
				continue;
			r->announced += ts_discontinuity(p);
			step = wrap_diff(pcr, r->pcr, PCR_WRAP) /
			       (int64_t)(PCR_HZ / 1000);
			if (r->pcr != 0) {
				r->back = MAX(r->back, -step);
				r->ahead = MAX(r->ahead, step);
			}
			r->pcr = pcr;
		}
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	mux_feed(r->mux, 0, runs, n_runs);
}

/* A worker. */
static void rig_start(struct rig *r)
{
	static const struct remux_options options = { .set_tsid = 5 };

	r->mux = mux_new(&(struct mux_config){
		.n_inputs = 1, .kbps = KBPS, .delay_ms = DELAY_MS,
		.tsid = 5, .onid = 6, .versions = &r->versions,
		.continuity = &r->continuity, .out = on_out, .arg = r });
	mux_setup(r->mux, 0, &(struct mux_source_config){
		.base = 100, .count = 100, .priority = 100 });
	r->remux = remux_new(&(struct remux_config){
		.options = &options, .versions = &r->versions,
		.place = mux_place(r->mux, 0), .out = on_remuxed, .arg = r });
	mux_set_remux(r->mux, 0, r->remux);
}

static struct rig *rig_new(void)
{
	struct rig *r = xcalloc(1, sizeof *r);

	r->now_ns = r->base_ns = 1000 * SECOND_NS;
	r->source = build_new();
	rig_start(r);
	return r;
}

static void rig_free(struct rig *r)
{
	remux_free(&r->remux);
	mux_free(&r->mux);
	build_free(r->source);
	free(r);
}

static void put_tables(struct build *b)
{
	const struct build_entry one = { 1, PMT_IN };
	const struct build_es es = { 0x02, VIDEO_IN, NULL, 0 };
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, &one, 1);

	(void)build_section(b, 0, section, len);
	len = build_pmt(section, (struct build_entry){ 1, VIDEO_IN }, 0, &es,
			1);
	(void)build_section(b, PMT_IN, section, len);
}

/* A tick of the source: a PCR, and packets. */
static void send(struct rig *r)
{
	uint64_t pcr = 100 * PCR_HZ + r->ticks * TICK_MS * (PCR_HZ / 1000);

	if (r->ticks++ % TABLES_TICKS == 0)
		put_tables(r->source);
	(void)build_pcr(r->source, VIDEO_IN, pcr);
	(void)build_pes(r->source, VIDEO_IN, "", 0);
	for (unsigned i = 0; i < 4; i++)
		(void)build_payload(r->source, VIDEO_IN, 0x55);
}

/* The time passes, and the source's packets arrive late by so much, or as fast
 * as they may behind a longer delay. */
static void play(struct rig *r, unsigned ms, unsigned late_ms)
{
	for (uint64_t end = r->now_ns + ms * MS; r->now_ns < end;
	     r->now_ns += TICK_MS * MS) {
		struct ts_run run;

		while (r->base_ns + (r->ticks * TICK_MS + late_ms) * MS <=
		       r->now_ns)
			send(r);
		run = build_run(r->source);
		if (run.n > 0) {
			mux_heard(r->mux, 0, r->now_ns);
			remux_feed(r->remux, &run, 1, r->now_ns);
		}
		r->source->n = 0;
		mux_turn(r->mux, r->now_ns, r->now_ns / MS);
	}
}

/* After a while without a fault. */
static struct rig *rig_ready(void)
{
	struct rig *r = rig_new();

	play(r, 4000, 0);
	cr_assert_gt(r->packets, 1000u);
	cr_assert_eq(r->back, 0);
	r->announced = 0;
	r->ahead = 0;
	return r;
}

/* A network, a source or this machine stands still for so long. */
Test(mux_clock, a_stall_moves_no_clock)
{
	static const unsigned stalls[] = { 100, 290, 310, 390, 410, 500, 700,
					   900, 1200, 1500, 1800, 1950 };

	for (size_t i = 0; i < ARRAY_LEN(stalls); i++) {
		struct rig *r = rig_ready();

		for (unsigned k = 0; k < 3; k++) {
			play(r, stalls[i], UINT16_MAX);
			play(r, 3000, 0);
		}
		cr_expect_eq(r->back, 0, "%u ms: %ld ms back", stalls[i],
			     (long)r->back);
		cr_expect_eq(r->announced, 0u, "%u ms: %u", stalls[i],
			     r->announced);
		rig_free(r);
	}
}

/* The path of an input becomes longer for good, and shorter again. */
Test(mux_clock, a_longer_path_moves_the_clock_once_if_at_all)
{
	static const unsigned paths[] = { 50, 150, 290, 310, 390, 500, 900 };

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct rig *r = rig_ready();

		play(r, 10000, paths[i]);
		cr_expect_leq(r->back, paths[i] + 50, "%u ms: %ld ms back",
			      paths[i], (long)r->back);
		cr_expect_leq(r->announced, paths[i] > DELAY_MS * 3 / 4,
			      "%u ms: %u", paths[i], r->announced);
		r->announced = 0;
		r->back = 0;
		play(r, 10000, 0);
		cr_expect_eq(r->back, 0, "%u ms: %ld ms back", paths[i],
			     (long)r->back);
		cr_expect_leq(r->announced, 1u, "%u ms: %u", paths[i],
			      r->announced);
		rig_free(r);
	}
}

/* The next worker begins with the packets that the last one did not send, after
 * a while in which no worker ran. */
Test(mux_clock, the_next_worker_moves_no_clock)
{
	static const unsigned gaps[] = { 50, 300, 700, 1100, 1500 };

	for (size_t i = 0; i < ARRAY_LEN(gaps); i++) {
		struct rig *r = rig_ready();

		remux_free(&r->remux);
		mux_free(&r->mux);
		r->now_ns += gaps[i] * MS;
		/* those of the last delay are read again */
		r->ticks -= DELAY_MS / TICK_MS;
		rig_start(r);
		play(r, 4000, 0);
		cr_expect_eq(r->back, 0, "%u ms: %ld ms back", gaps[i],
			     (long)r->back);
		cr_expect_eq(r->announced, 0u, "%u ms: %u", gaps[i],
			     r->announced);
		rig_free(r);
	}
}
