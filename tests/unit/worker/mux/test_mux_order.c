/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets of a PID leave a multiplex in order, and their counters continue,
 * whatever waits in it. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/mux/mux.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
	TICK_MS = 10,
	DELAY_MS = 200,
	TABLES_TICKS = 10,
	VIDEO_OUT = 157, SOUND_OUT,
	TICKS_MAX = 4096,
	PMT_IN = 0x100, VIDEO_IN, SOUND_IN,
};

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct remux *remux;
	struct build *source;
	unsigned video, sound; /* packets of a unit */
	unsigned ticks;
	uint64_t now_ns, pcr;

	struct cc cc;
	unsigned cc_errors;
	uint64_t of_pid[TS_PIDS];
	uint64_t left_ns[TICKS_MAX]; /* of the video of each tick */
	uint64_t lag_ns; /* the most that sound was behind it */
};

/* The tick of the unit that begins in the packet. */
static unsigned tick_of(const uint8_t *p)
{
	size_t at = ts_payload_offset(p);

	at += 9u + p[at + 8];
	return (unsigned)(p[at] << 8 | p[at + 1]);
}

static void on_unit(struct rig *r, const uint8_t *p)
{
	unsigned tick = tick_of(p) % TICKS_MAX;

	if (ts_pid(p) == VIDEO_OUT)
		r->left_ns[tick] = r->now_ns;
	else if (r->left_ns[tick] != 0)
		r->lag_ns = MAX(r->lag_ns, r->now_ns - r->left_ns[tick]);
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			r->of_pid[ts_pid(p)]++;
			if (ts_pusi(p) && (ts_pid(p) == VIDEO_OUT ||
					   ts_pid(p) == SOUND_OUT))
				on_unit(r, p);
			r->cc_errors += cc_feed(&r->cc, p) != CC_OK;
		}
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	mux_feed(r->mux, 0, runs, n_runs);
}

static struct rig *rig_new(void)
{
	static const struct remux_options options = { .set_tsid = 5 };
	struct rig *r = xcalloc(1, sizeof *r);

	r->now_ns = 1000 * SECOND_NS;
	r->pcr = 1000 * PCR_HZ;
	r->source = build_new();
	r->video = r->sound = 4;
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = 1, .kbps = 4000, .delay_ms = DELAY_MS,
		.tsid = 5, .onid = 6, .versions = &r->versions,
		.continuity = &r->continuity, .out = on_out, .arg = r });
	mux_setup(r->mux, 0, &(struct mux_source_config){
		.base = 100, .count = 100, .priority = 100 });
	r->remux = remux_new(&(struct remux_config){
		.options = &options, .versions = &r->versions,
		.place = mux_place(r->mux, 0), .out = on_remuxed, .arg = r });
	mux_set_remux(r->mux, 0, r->remux);
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
	const struct build_es es[] = { { 0x02, VIDEO_IN, NULL, 0 },
				       { 0x03, SOUND_IN, NULL, 0 } };
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, &one, 1);

	(void)build_section(b, 0, section, len);
	len = build_pmt(section, one, 0, es, 2);
	section[9] = 1; /* the PCR is in the video */
	build_mend_crc(section, len);
	(void)build_section(b, PMT_IN, section, len);
}

static void put_unit(struct build *b, uint16_t pid, unsigned packets,
		     unsigned tick)
{
	const uint8_t es[] = { (uint8_t)(tick >> 8), (uint8_t)tick };

	(void)build_pes(b, pid, es, sizeof es);
	for (unsigned i = 1; i < packets; i++)
		(void)build_payload(b, pid, 0x55);
}

/* Passes what was built since the last call. */
static void pass(struct rig *r)
{
	struct ts_run run = build_run(r->source);

	mux_heard(r->mux, 0, r->now_ns);
	remux_feed(r->remux, &run, 1, r->now_ns);
	r->source->n = 0;
}

static void play(struct rig *r, unsigned ticks)
{
	for (; ticks > 0; ticks--) {
		if (r->ticks++ % TABLES_TICKS == 0)
			put_tables(r->source);
		(void)build_pcr(r->source, VIDEO_IN, r->pcr);
		put_unit(r->source, VIDEO_IN, r->video, r->ticks);
		if (r->ticks % 3 == 0)
			put_unit(r->source, SOUND_IN, r->sound, r->ticks);
		pass(r);
		mux_turn(r->mux, r->now_ns, r->now_ns / MS);
		r->now_ns += TICK_MS * MS;
		r->pcr += TICK_MS * (PCR_HZ / 1000);
	}
}

static unsigned draw(unsigned *seed, unsigned end)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % end;
}

/* The input has another source, whose counters are others. */
static void restart(struct rig *r, unsigned *seed)
{
	for (uint16_t pid = PMT_IN; pid <= SOUND_IN; pid++)
		r->source->cc[pid] = (uint8_t)draw(seed, 16);
	mux_restart(r->mux, 0);
}

Test(mux_order, packets_that_wait_at_a_restart_have_counters_of_their_source)
{
	struct rig *r = rig_new();
	unsigned seed = 1, ticks = 0, n;
	uint64_t before;

	play(r, 300);
	before = r->of_pid[VIDEO_OUT];
	/* 20 ticks of packets wait */
	for (unsigned i = 0; i < 200; i++, ticks += n) {
		n = 1 + draw(&seed, 30);
		play(r, n);
		restart(r, &seed);
		cr_assert_eq(r->cc_errors, 0u, "restart %u", i);
	}
	/* and none is lost */
	cr_expect_geq(r->of_pid[VIDEO_OUT] - before, (ticks - 2) * 5u);
	rig_free(r);
}

Test(mux_order, packets_beyond_the_room_of_an_input_cost_no_counter)
{
	struct rig *r = rig_new();
	struct mux_source_state state;

	play(r, 300);
	/* PMTs, too, which go out whatever exceeds the rate */
	for (unsigned i = 0; i < 3; i++) {
		put_unit(r->source, VIDEO_IN, 4000, 0);
		put_tables(r->source);
		pass(r);
		r->now_ns += 250 * MS;
	}
	mux_source_get(r->mux, 0, &state);
	cr_expect_geq(state.dropped, 3000u);
	play(r, 500);
	cr_expect_eq(r->cc_errors, 0u, "%u", r->cc_errors);
	rig_free(r);
}

Test(mux_order, packets_of_a_pid_keep_it_while_the_rate_is_exceeded)
{
	struct rig *r = rig_new();
	unsigned seed = 1;

	play(r, 300);
	for (unsigned i = 0; i < 300; i++) {
		r->video = i % 10 < 3 ? 30 + draw(&seed, 20) : 10;
		r->sound = 1 + draw(&seed, 12);
		play(r, 1 + draw(&seed, 4));
		cr_assert_eq(r->cc_errors, 0u, "time %u", i);
	}
	rig_free(r);
}

Test(mux_order, packets_that_are_spread_wait_for_the_rate_once)
{
	struct rig *r = rig_new();

	r->sound = 12;
	play(r, 300);
	cr_expect_leq(r->lag_ns, 20 * MS, "%u ms", (unsigned)(r->lag_ns / MS));
	/* 27 packets of a tick have room: 150 ms of packets wait */
	for (unsigned i = 0; i < 10; i++) {
		r->video = 60;
		play(r, 10);
		r->video = 4;
		play(r, 90);
	}
	cr_expect_leq(r->lag_ns, 60 * MS, "%u ms", (unsigned)(r->lag_ns / MS));
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}
