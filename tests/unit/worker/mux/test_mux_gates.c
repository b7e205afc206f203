/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An input with several services that exceeds the rate: its last services stop,
 * and the others lose no packet. */
#include "worker/mux/mux.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
	SERVICES = 3, TICK_MS = 10,
	PMT = 0x100, VIDEO = 0x110, SHARED = 0x120, /* in the source */
	PMT_OUT = 156, VIDEO_OUT = 172, SHARED_OUT = 188,
	KBPS = 4000, /* 26 packets in a tick */
};

struct side {
	struct mux *mux;
	size_t i;
};

/* Input 0 has three services, of which the first and the last share a PID;
 * input 1 has one. */
struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct side sides[2];
	struct remux *remux[2];
	struct build *ts[2];
	unsigned per_tick[SERVICES], other; /* packets of the videos */
	uint64_t now_ns, pcr;
	unsigned ticks;

	struct cc cc;
	unsigned cc_errors;
	uint64_t of_pid[TS_PIDS];
};

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			r->of_pid[ts_pid(p)]++;
			r->cc_errors += cc_feed(&r->cc, p) != CC_OK;
		}
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct side *s = arg;

	mux_feed(s->mux, s->i, runs, n_runs);
}

static struct rig *rig_new(unsigned max_kbps, unsigned priority)
{
	static const struct remux_options options = { .set_tsid = 5 };
	struct rig *r = xcalloc(1, sizeof *r);

	r->now_ns = 1000 * SECOND_NS;
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = 2, .kbps = KBPS, .tsid = 5, .onid = 6,
		.delay_ms = MUX_DELAY_DEFAULT_MS,
		.versions = &r->versions, .continuity = &r->continuity,
		.out = on_out, .arg = r });
	for (size_t i = 0; i < 2; i++)
		mux_setup(r->mux, i, &(struct mux_source_config){
			.base = (uint16_t)(100 * (i + 1)), .count = 100,
			.max_kbps = i == 0 ? max_kbps : 0,
			.priority = i == 0 ? 100 : priority });
	for (size_t i = 0; i < 2; i++) {
		r->sides[i] = (struct side){ r->mux, i };
		r->ts[i] = build_new();
		r->remux[i] = remux_new(&(struct remux_config){
			.options = &options, .versions = &r->versions,
			.place = mux_place(r->mux, i),
			.out = on_remuxed, .arg = &r->sides[i] });
		mux_set_remux(r->mux, i, r->remux[i]);
	}
	for (size_t k = 0; k < SERVICES; k++)
		r->per_tick[k] = 4;
	r->other = 4;
	return r;
}

static void rig_free(struct rig *r)
{
	struct cbr_counters c;

	mux_cbr_counters(r->mux, &c);
	cr_expect_eq(c.overflow, 0u, "%u", (unsigned)c.overflow);
	cr_expect_eq(r->cc_errors, 0u, "%u", r->cc_errors);
	for (size_t i = 0; i < 2; i++) {
		remux_free(&r->remux[i]);
		build_free(r->ts[i]);
	}
	mux_free(&r->mux);
	free(r);
}

static void put_tables(struct build *ts, uint16_t n)
{
	struct build_entry list[SERVICES];
	uint8_t section[SECTION_PSI_MAX];
	size_t len;

	for (uint16_t k = 0; k < n; k++)
		list[k] = (struct build_entry){ (uint16_t)(k + 1),
						(uint16_t)(PMT + k) };
	len = build_pat(section, 0, list, n);
	(void)build_section(ts, TS_PID_PAT, section, len);
	for (uint16_t k = 0; k < n; k++) {
		uint16_t pcr = VIDEO + k;
		const struct build_es es[] = { { 0x1b, pcr, NULL, 0 },
					       { 0x0f, SHARED, NULL, 0 } };

		len = build_pmt(section, list[k], 0, es, k == 1 ? 1 : 2);
		section[8] = (uint8_t)(0xe0 | pcr >> 8);
		section[9] = (uint8_t)pcr;
		build_mend_crc(section, len);
		(void)build_section(ts, list[k].pid, section, len);
	}
}

static void put_video(struct rig *r, size_t i, uint16_t pid, unsigned n)
{
	if (n == 0)
		return;
	(void)build_pcr(r->ts[i], pid, r->pcr);
	(void)build_pes(r->ts[i], pid, "", 0);
	while (n-- > 2)
		(void)build_payload(r->ts[i], pid, 0x55);
}

static void play(struct rig *r, unsigned ticks)
{
	for (; ticks > 0; ticks--) {
		r->ts[0]->n = r->ts[1]->n = 0;
		if (r->ticks % 10 == 0) {
			put_tables(r->ts[0], SERVICES);
			put_tables(r->ts[1], 1);
		}
		for (uint16_t k = 0; k < SERVICES; k++)
			put_video(r, 0, VIDEO + k, r->per_tick[k]);
		(void)build_pes(r->ts[0], SHARED, "", 0);
		put_video(r, 1, VIDEO, r->other);
		for (size_t i = 0; i < 2; i++) {
			struct ts_run run = build_run(r->ts[i]);

			mux_heard(r->mux, i, r->now_ns);
			remux_feed(r->remux[i], &run, 1, r->now_ns);
		}
		r->now_ns += TICK_MS * MS;
		r->pcr += TICK_MS * (PCR_HZ / 1000);
		mux_turn(r->mux, r->now_ns, r->now_ns / MS);
		if (++r->ticks % 100 == 0)
			mux_every_second(r->mux);
	}
}

static struct mux_service_state state(const struct rig *r, size_t nth)
{
	struct mux_service_state ret;

	mux_service_get(r->mux, 0, nth, &ret);
	return ret;
}

/* The first n services of input 0 are sent and have lost nothing, the others
 * are blocked. */
static void expect_sent(const struct rig *r, size_t n)
{
	struct mux_source_state in;

	for (size_t k = 0; k < SERVICES; k++) {
		cr_expect_eq(state(r, k).blocked, k >= n, "service %zu", k);
		if (k < n)
			cr_expect_eq(state(r, k).dropped, 0u, "%zu", k);
	}
	mux_source_get(r->mux, 0, &in);
	cr_expect_eq(in.n_blocked, SERVICES - n);
	cr_expect_eq(in.blocked, n == 0);
	mux_source_get(r->mux, 1, &in);
	cr_expect_eq(in.dropped, 0u);
}

static void clear(struct rig *r)
{
	for (size_t pid = 0; pid < TS_PIDS; pid++)
		r->of_pid[pid] = 0;
}

Test(mux_gates, the_last_service_of_an_input_stops_first_and_returns_last)
{
	struct rig *r = rig_new(0, 200);

	play(r, 300);
	expect_sent(r, SERVICES);
	/* 30 packets in a tick, without the last service 22 */
	r->per_tick[0] = 8;
	r->per_tick[1] = 6;
	r->per_tick[2] = 8;
	r->other = 7;
	play(r, 600);
	expect_sent(r, 2);
	clear(r);
	play(r, 100);
	/* a PID of two services is sent while one of them is, and so are the
	 * PMTs of all */
	cr_expect_eq(r->of_pid[VIDEO_OUT + 2], 0u);
	cr_expect_geq(r->of_pid[SHARED_OUT], 95u);
	cr_expect_geq(r->of_pid[PMT_OUT + 2], 9u);
	cr_expect_geq(state(r, 2).excess, 700u);
	/* the first two stop, too */
	r->other = 16;
	play(r, 500);
	cr_expect(state(r, 1).blocked && state(r, 2).blocked);
	cr_expect(!state(r, 0).blocked);
	/* there is room for one of them */
	r->other = 9;
	play(r, 700);
	cr_expect(!state(r, 1).blocked && state(r, 2).blocked);
	r->other = 1;
	play(r, 700);
	cr_expect(!state(r, 2).blocked);
	clear(r);
	play(r, 100);
	cr_expect_geq(r->of_pid[VIDEO_OUT + 2], 700u);
	rig_free(r);
}

Test(mux_gates, an_input_without_a_sent_service_sends_its_tables_alone)
{
	struct rig *r = rig_new(0, 200);

	play(r, 300);
	r->other = 25;
	play(r, 500);
	expect_sent(r, 0);
	clear(r);
	play(r, 100);
	cr_expect_eq(r->of_pid[SHARED_OUT], 0u);
	for (size_t k = 0; k < SERVICES; k++) {
		cr_expect_eq(r->of_pid[VIDEO_OUT + k], 0u);
		cr_expect_geq(r->of_pid[PMT_OUT + k], 9u);
	}
	rig_free(r);
}

Test(mux_gates, above_its_max_an_input_loses_its_last_services)
{
	/* 10 packets in a tick */
	struct rig *r = rig_new(1500, 100);

	r->per_tick[0] = r->per_tick[1] = r->per_tick[2] = 3;
	play(r, 300);
	expect_sent(r, SERVICES);
	r->per_tick[0] = 5;
	play(r, 300);
	expect_sent(r, 2);
	/* this one does not fit alone, but both others */
	r->per_tick[0] = 12;
	play(r, 700);
	cr_expect(state(r, 0).blocked);
	cr_expect(!state(r, 1).blocked && !state(r, 2).blocked);
	rig_free(r);
}

Test(mux_gates, a_lower_priority_of_another_input_precedes)
{
	struct rig *r = rig_new(0, 50);
	struct mux_source_state in;

	play(r, 300);
	r->per_tick[0] = 12;
	r->other = 10;
	play(r, 700);
	mux_source_get(r->mux, 1, &in);
	cr_expect(in.blocked);
	mux_source_get(r->mux, 0, &in);
	cr_expect_eq(in.n_blocked, 0u);
	cr_expect_eq(in.dropped, 0u);
	rig_free(r);
}
