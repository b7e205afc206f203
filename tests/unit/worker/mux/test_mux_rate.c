/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs that together exceed the rate: whole inputs stop, and those that
 * continue lose no packet. */
#include "worker/mux/mux.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { INPUTS_MAX = 20, TICK_MS = 10, PMT = 0x100, VIDEO, DATA, AUDIO };

struct source {
	struct rig *rig;
	size_t i;
	struct remux *remux;
	struct build *ts;
	unsigned per_tick; /* packets of the video; each tick is a unit */
	unsigned data;     /* packets of a unit without end, per tick */
	unsigned audio;    /* packets of a unit, every second tick, ...
			    * and one soon behind it */
};

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	size_t n;
	struct source inputs[INPUTS_MAX];
	uint64_t now_ns, pcr;
	unsigned ticks;

	/* the output */
	struct cc cc;
	unsigned cc_errors;
	uint64_t of_pid[TS_PIDS];
	unsigned tdt_cc; /* of the last one */
	uint64_t pcr_of[TS_PIDS]; /* the last one */
};

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			r->of_pid[ts_pid(p)]++;
			if (ts_pid(p) == SI_PID_TDT)
				r->tdt_cc = ts_cc(p);
			(void)ts_pcr(p, &r->pcr_of[ts_pid(p)]);
			r->cc_errors += cc_feed(&r->cc, p) != CC_OK;
		}
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct source *s = arg;

	mux_feed(s->rig->mux, s->i, runs, n_runs);
}

/* step: how much the priority of each input exceeds that of the one before;
 * min, max: the rates of the first one. */
static struct rig *rig_limited(size_t n, unsigned kbps, unsigned step,
			       unsigned min_kbps, unsigned max_kbps)
{
	struct rig *r = xcalloc(1, sizeof *r);
	struct remux_options options = { .set_tsid = 5 };

	r->now_ns = 1000 * SECOND_NS;
	r->n = n;
	/* of the mux before */
	r->continuity.cc[SI_PID_TDT] = SPLICE_CC_SEEN | 5;
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = n, .kbps = kbps, .tsid = 5, .onid = 6,
		.delay_ms = MUX_DELAY_DEFAULT_MS,
		.versions = &r->versions, .continuity = &r->continuity,
		.out = on_out, .arg = r });
	for (size_t i = 0; i < n; i++)
		mux_setup(r->mux, i, &(struct mux_source_config){
			.base = (uint16_t)(100 * (i + 1)), .count = 100,
			.min_kbps = i == 0 ? min_kbps : 0,
			.max_kbps = i == 0 ? max_kbps : 0,
			.priority = 100 + step * (unsigned)i });
	for (size_t i = 0; i < n; i++) {
		struct source *s = &r->inputs[i];

		*s = (struct source){ .rig = r, .i = i, .ts = build_new() };
		s->remux = remux_new(&(struct remux_config){
			.options = &options, .versions = &r->versions,
			.place = mux_place(r->mux, i),
			.out = on_remuxed, .arg = s });
		mux_set_remux(r->mux, i, s->remux);
	}
	return r;
}

static struct rig *rig_new(size_t n, unsigned kbps, unsigned step)
{
	return rig_limited(n, kbps, step, 0, 0);
}

/* Every counter of the output was right, and the queue was never full. */
static void rig_free(struct rig *r)
{
	struct cbr_counters c;

	mux_cbr_counters(r->mux, &c);
	cr_expect_eq(c.overflow, 0u, "%u", (unsigned)c.overflow);
	cr_expect_eq(r->cc_errors, 0u, "%u", r->cc_errors);
	for (size_t i = 0; i < r->n; i++) {
		remux_free(&r->inputs[i].remux);
		build_free(r->inputs[i].ts);
	}
	mux_free(&r->mux);
	free(r);
}

static void put_tables(struct build *ts)
{
	static const struct build_entry program = { 1, PMT };
	static const struct build_es es[] = { { 0x1b, VIDEO, NULL, 0 },
					      { 0x0f, DATA, NULL, 0 },
					      { 0x03, AUDIO, NULL, 0 } };
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, &program, 1);

	(void)build_section(ts, TS_PID_PAT, section, len);
	len = build_pmt(section, program, 0, es, ARRAY_LEN(es));
	section[9] = 1; /* the PCR is in the video */
	build_mend_crc(section, len);
	(void)build_section(ts, PMT, section, len);
}

static void put_audio(struct build *ts, unsigned n)
{
	if (n > 0)
		(void)build_pes(ts, AUDIO, "", 0);
	for (unsigned k = 1; k < n; k++)
		(void)build_payload(ts, AUDIO, 0x55);
}

/* The packets of all inputs in a tick. */
static void arrive(struct rig *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct source *s = &r->inputs[i];
		struct ts_run run;

		s->ts->n = 0;
		if ((r->ticks + i) % 10 == 0)
			put_tables(s->ts);
		(void)build_pcr(s->ts, VIDEO, r->pcr);
		(void)build_pes(s->ts, VIDEO, "", 0);
		for (unsigned k = 2; k < s->per_tick; k++) {
			(void)build_payload(s->ts, VIDEO, 0x55);
			if (s->audio > 0 && r->ticks % 2 == 1 &&
			    k == s->per_tick / 5)
				put_audio(s->ts, 1);
		}
		if (s->data > 0 && r->ticks == 50)
			(void)build_pes(s->ts, DATA, "", 0);
		for (unsigned k = 0; k < s->data; k++)
			(void)build_payload(s->ts, DATA, 0x55);
		put_audio(s->ts, r->ticks % 2 == 0 ? s->audio : 0);
		run = build_run(s->ts);
		mux_heard(r->mux, i, r->now_ns);
		remux_feed(s->remux, &run, 1, r->now_ns);
	}
	r->ticks++;
	r->now_ns += TICK_MS * MS;
	r->pcr += TICK_MS * (PCR_HZ / 1000);
}

static void turn(struct rig *r)
{
	struct ts_run places = mux_places();

	for (size_t i = 0; i < r->n; i++)
		remux_feed(r->inputs[i].remux, &places, 1, r->now_ns);
	mux_turn(r->mux, r->now_ns, r->now_ns / MS);
	if (r->ticks % 100 == 0)
		mux_every_second(r->mux);
}

static void play(struct rig *r, unsigned ticks)
{
	while (ticks-- > 0) {
		arrive(r);
		turn(r);
	}
}

static void set_all(struct rig *r, unsigned per_tick)
{
	for (size_t i = 0; i < r->n; i++)
		r->inputs[i].per_tick = per_tick;
}

static bool is_blocked(const struct rig *r, size_t i)
{
	struct mux_source_state state;

	mux_source_get(r->mux, i, &state);
	return state.blocked;
}

static bool is_above_max(const struct rig *r, size_t i)
{
	struct mux_source_state state;

	mux_source_get(r->mux, i, &state);
	return state.above_max;
}

/* The inputs in front of the first one are not sent, those from it on are,
 * without a loss. */
static void expect_sent_from(const struct rig *r, size_t first)
{
	struct mux_source_state state;

	for (size_t i = 0; i < r->n; i++) {
		mux_source_get(r->mux, i, &state);
		cr_expect_eq(state.blocked, i < first, "input %zu", i);
		if (i >= first)
			cr_expect_eq(state.dropped, 0u, "input %zu", i);
	}
}

/* 130 packets in a tick */
enum { TWENTY_KBPS = 19552 };

Test(mux_rate, at_twice_the_rate_services_that_stay_lose_no_packet)
{
	struct rig *r = rig_new(20, TWENTY_KBPS, 1);

	set_all(r, 6);
	play(r, 300);
	expect_sent_from(r, 0);
	set_all(r, 13);
	play(r, 300);
	/* nine of them fit */
	expect_sent_from(r, 11);
	set_all(r, 6);
	play(r, 1500);
	for (size_t i = 0; i < r->n; i++)
		cr_expect(!is_blocked(r, i), "input %zu", i);
	rig_free(r);
}

Test(mux_rate, at_ten_times_the_rate_services_that_stay_lose_no_packet)
{
	struct rig *r = rig_new(20, TWENTY_KBPS, 1);

	set_all(r, 6);
	play(r, 300);
	set_all(r, 65);
	play(r, 200);
	expect_sent_from(r, 19);
	rig_free(r);
}

Test(mux_rate, of_equal_priorities_the_input_that_bursts_stops)
{
	/* alone above the rate; with the others only */
	static const unsigned bursts[] = { 34, 13 };

	for (size_t k = 0; k < 2; k++) {
		struct rig *r = rig_new(5, 4000, 0);

		set_all(r, 4);
		play(r, 300);
		r->inputs[0].per_tick = bursts[k];
		play(r, 1000);
		expect_sent_from(r, 1);
		r->inputs[0].per_tick = 4;
		play(r, 500);
		cr_expect(!is_blocked(r, 0));
		rig_free(r);
	}
}

Test(mux_rate, an_input_alone_above_the_rate_stops_and_returns)
{
	struct rig *r = rig_new(1, 4000, 0);

	set_all(r, 20);
	play(r, 300);
	set_all(r, 40);
	play(r, 300);
	cr_expect(is_blocked(r, 0));
	set_all(r, 20);
	play(r, 500);
	cr_expect(!is_blocked(r, 0));
	rig_free(r);
}

Test(mux_rate, a_unit_without_end_stops_too)
{
	struct rig *r = rig_new(2, 4000, 1);
	uint64_t before;

	set_all(r, 4);
	r->inputs[0].data = 3;
	play(r, 300);
	cr_expect_gt(r->of_pid[158], 500u);
	r->inputs[1].per_tick = 22;
	play(r, 600);
	expect_sent_from(r, 1);
	before = r->of_pid[158];
	play(r, 100);
	cr_expect_eq(r->of_pid[158], before);
	rig_free(r);
}

Test(mux_rate, a_stall_of_600_ms_stops_no_input)
{
	struct rig *r = rig_new(5, 4200, 1);

	/* 91 % of the rate */
	set_all(r, 5);
	play(r, 300);
	for (unsigned i = 0; i < 60; i++)
		arrive(r);
	turn(r);
	for (unsigned i = 0; i < 300; i++) {
		play(r, 1);
		expect_sent_from(r, 0);
	}
	rig_free(r);
}

static size_t count_blocked(const struct rig *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += is_blocked(r, i);
	return n;
}

static void expect_blocked(struct rig *r, size_t n, unsigned ticks)
{
	for (; ticks > 0; ticks--) {
		play(r, 1);
		cr_assert_eq(count_blocked(r), n, "%zu", count_blocked(r));
	}
}

Test(mux_rate, behind_a_stall_all_inputs_that_fit_return_together)
{
	struct rig *r = rig_new(20, TWENTY_KBPS, 1);

	/* 92 % of the rate */
	set_all(r, 6);
	play(r, 300);
	for (unsigned i = 0; i < 150; i++)
		arrive(r);
	turn(r);
	play(r, 30);
	cr_assert_geq(count_blocked(r), 6u, "%zu", count_blocked(r));
	play(r, 150);
	expect_blocked(r, 0, 500);
	rig_free(r);
}

Test(mux_rate, what_does_not_fit_stays_when_others_return)
{
	struct rig *r = rig_new(20, TWENTY_KBPS, 1);

	set_all(r, 13);
	play(r, 1000);
	expect_sent_from(r, 11);
	/* 14 of 6 packets in a tick, and three of 13 */
	for (size_t i = 6; i < r->n; i++)
		r->inputs[i].per_tick = 6;
	play(r, 500);
	expect_blocked(r, 3, 1000);
	rig_free(r);
}

/* The inputs that stop send PMTs, and those that stopped before are not
 * released in the turn behind the stall. */
Test(mux_rate, a_stall_beyond_the_rate_overflows_no_queue)
{
	for (unsigned ticks = 60; ticks <= 140; ticks += 20) {
		struct rig *r = rig_new(8, TWENTY_KBPS, 1);

		set_all(r, 16);
		for (size_t i = 0; i < r->n; i++)
			r->inputs[i].audio = 16;
		play(r, 300);
		for (unsigned stall = 0; stall < 10; stall++) {
			for (unsigned i = 0; i < ticks + stall; i++)
				arrive(r);
			turn(r);
			play(r, 40 + stall);
		}
		rig_free(r);
	}
}

Test(mux_rate, an_input_that_stops_again_and_again_waits_longer)
{
	struct rig *r = rig_new(2, 2000, 1);
	unsigned stops = 0;
	bool was = false;

	/* every ten seconds there is no room for the first one */
	set_all(r, 5);
	for (unsigned i = 0; i < 12000; i++) {
		r->inputs[1].per_tick = i % 1000 < 500 ? 4 : 10;
		play(r, 1);
		stops += !was && is_blocked(r, 0);
		was = is_blocked(r, 0);
	}
	cr_expect_geq(stops, 2u);
	cr_expect_leq(stops, 8u, "%u", stops);
	cr_expect(!is_blocked(r, 1));
	rig_free(r);
}

Test(mux_rate, a_tdt_without_a_place_is_sent_in_the_next_turn)
{
	struct rig *r = rig_new(1, 4000, 0);

	/* without packets the mux waits two seconds: up to that of a TDT, when
	 * its output does not run yet */
	r->now_ns = 1008 * SECOND_NS;
	for (unsigned i = 0; i < 1300; i++) {
		turn(r);
		r->now_ns += TICK_MS * MS;
	}
	/* and the counter continues */
	cr_expect_eq(r->of_pid[SI_PID_TDT], 2u);
	cr_expect_eq(r->tdt_cc, 7u);
	/* who sends the packets notes it */
	cr_expect_eq(r->continuity.cc[SI_PID_TDT], SPLICE_CC_SEEN | 5);
	rig_free(r);
}

Test(mux_rate, places_for_other_tables_cost_no_tdt)
{
	struct rig *r = rig_new(1, 4000, 0);

	set_all(r, 5);
	play(r, 300);
	r->of_pid[SI_PID_TDT] = 0;
	for (unsigned i = 0; i < 900; i++) {
		mux_make_place(r->mux);
		play(r, 1);
	}
	cr_expect_eq(r->of_pid[SI_PID_TDT], 1u);
	rig_free(r);
}

Test(mux_rate, an_input_within_its_rate_min_stops_after_all_others)
{
	/* 5 packets in a tick are 752 kbit/s */
	struct rig *r = rig_limited(3, 4000, 1, 800, 0);

	set_all(r, 5);
	play(r, 300);
	r->inputs[1].per_tick = r->inputs[2].per_tick = 13;
	play(r, 500);
	cr_expect(!is_blocked(r, 0));
	cr_expect(is_blocked(r, 1));
	cr_expect(!is_blocked(r, 2));
	/* with more it is one of them again */
	r->inputs[0].per_tick = 20;
	play(r, 500);
	cr_expect(is_blocked(r, 0));
	cr_expect(!is_blocked(r, 2));
	rig_free(r);
}

Test(mux_rate, an_input_above_its_rate_max_is_not_sent_until_it_has_less)
{
	struct rig *r = rig_limited(2, 8000, 1, 0, 800);

	set_all(r, 5);
	play(r, 500);
	cr_expect(!is_blocked(r, 0));
	r->inputs[0].per_tick = 8;
	play(r, 300);
	cr_expect(is_blocked(r, 0));
	cr_expect(is_above_max(r, 0));
	cr_expect(!is_blocked(r, 1));
	play(r, 500);
	cr_expect(is_blocked(r, 0));
	r->inputs[0].per_tick = 5;
	play(r, 500);
	cr_expect(!is_blocked(r, 0));
	cr_expect(!is_above_max(r, 0));
	rig_free(r);
}

Test(mux_rate, an_input_above_its_rate_max_does_not_delay_others)
{
	struct rig *r = rig_limited(3, 4000, 1, 0, 800);

	set_all(r, 5);
	play(r, 300);
	r->inputs[1].per_tick = 40;
	play(r, 200);
	cr_expect(is_blocked(r, 1));
	cr_expect(!is_above_max(r, 1));
	/* in the same second the second one has room again, and the first one
	 * exceeds its limit */
	r->inputs[1].per_tick = 5;
	r->inputs[0].per_tick = 8;
	play(r, 101);
	cr_expect(is_above_max(r, 0));
	cr_expect(is_blocked(r, 1));
	play(r, 50);
	cr_expect(is_above_max(r, 0));
	cr_expect(!is_blocked(r, 1));
	rig_free(r);
}

/* The PMT comes on top of it. */
Test(mux_rate, an_input_with_exactly_its_rate_max_is_sent)
{
	/* 25 packets in a tick are 3760 kbit/s */
	struct rig *r = rig_limited(2, 8000, 1, 0, 3760);

	set_all(r, 25);
	r->inputs[1].per_tick = 5;
	play(r, 550);
	cr_expect(!is_blocked(r, 0));
	/* this second ends late */
	r->ticks -= 10;
	play(r, 70);
	cr_expect(!is_blocked(r, 0));
	r->inputs[0].per_tick = 27;
	play(r, 250);
	cr_expect(is_above_max(r, 0));
	rig_free(r);
}

/* How far the last PCR of an input is behind the clock of its source. */
static uint64_t delay_ms(const struct rig *r, size_t i)
{
	uint64_t pcr = r->pcr_of[100 * (i + 1) + 57];

	return (r->pcr - pcr) / (PCR_HZ / 1000);
}

Test(mux_rate, packets_leave_mux_delay_after_their_source_sent_them)
{
	struct rig *r = rig_new(2, 4000, 0);

	set_all(r, 10);
	for (unsigned i = 0; i < 200; i++) {
		play(r, 1);
		/* the turn, and a PCR that leaves within the next one */
		for (size_t k = 0; i >= 100 && k < r->n; k++)
			cr_assert(delay_ms(r, k) >= MUX_DELAY_DEFAULT_MS &&
				  delay_ms(r, k) <= MUX_DELAY_DEFAULT_MS +
						    2 * TICK_MS + 1,
				  "%u: %u ms", i, (unsigned)delay_ms(r, k));
	}
	rig_free(r);
}

Test(mux_rate, bursts_of_audio_stay_in_order_while_packets_wait_for_the_rate)
{
	struct rig *r = rig_new(4, TWENTY_KBPS, 1);

	set_all(r, 20);
	for (size_t i = 0; i < r->n; i++)
		r->inputs[i].audio = 10;
	play(r, 300);
	cr_expect_eq(r->cc_errors, 0u);
	/* 140 packets in a tick, until they have waited for long; then 80 */
	for (unsigned round = 0; round < 3; round++) {
		set_all(r, 30);
		play(r, 200);
		cr_expect_eq(r->cc_errors, 0u, "%u", round);
		set_all(r, 15);
		play(r, 100);
	}
	/* ... and until some inputs stop */
	set_all(r, 60);
	play(r, 300);
	cr_expect(is_blocked(r, 0));
	set_all(r, 15);
	play(r, 1500);
	cr_expect(!is_blocked(r, 0));
	rig_free(r);
}
