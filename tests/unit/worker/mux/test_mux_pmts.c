/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PAT and PMTs of a multiplex, by the positions of their packets: they are
 * evenly apart, and overflow no transport buffer. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/mux/mux.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/section.h"
#include "worker/ts/t_std.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	KBPS = 8000,
	TICK_MS = 10,
	DELAY_MS = 200,
	PROGRAMS_MAX = 8,
	PMT_IN = 0x100, VIDEO_IN = 0x200,
	PMT_OUT = 156, /* the place of PMT_IN in the block */
	TABLES_TICKS = 37, /* the source sends tables seldom */
	BASE = 100,
};

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct remux *remux;
	struct build *source;
	unsigned programs;
	unsigned descriptors; /* bytes in a PMT: of 252 each */
	bool shared;             /* all PMTs are on one PID */
	bool bursts;             /* of audio, whose packets have to wait */
	unsigned crowd;          /* in ten ticks: packets more of a program */
	unsigned kbps;
	uint8_t version;
	unsigned ticks;
	uint64_t now_ns, pcr;

	/* the output */
	uint64_t packets; /* all: their number is the time */
	struct cc cc;
	unsigned cc_errors;
	struct section_assembler pmts[PROGRAMS_MAX];
	uint8_t buffers[PROGRAMS_MAX][SECTION_PSI_MAX];
	/* of each program: the last one, its version */
	uint64_t last[PROGRAMS_MAX], changed[PROGRAMS_MAX];
	uint8_t seen[PROGRAMS_MAX];
	uint64_t least, most; /* packets between two PMTs of a program, PATs */
	uint64_t pat;
	/* of each PID: bytes in its transport buffer */
	double level[PROGRAMS_MAX];
	uint64_t level_at[PROGRAMS_MAX];
	double highest;
};

static double ms_of(const struct rig *r, uint64_t packets)
{
	return (double)packets * TS_PACKET * 8 / r->kbps;
}

static void on_pmt(struct rig *r, const uint8_t *section)
{
	unsigned i = (section[4] - BASE - 1u) % PROGRAMS_MAX;
	uint64_t apart = r->packets - r->last[i];

	if (section[5] != r->seen[i])
		r->changed[i] = r->packets;
	else if (r->last[i] != 0) {
		r->least = MIN(r->least, apart);
		r->most = MAX(r->most, apart);
	}
	r->seen[i] = section[5];
	r->last[i] = r->packets;
}

static void on_pat(struct rig *r)
{
	if (r->pat != 0) {
		r->least = MIN(r->least, r->packets - r->pat);
		r->most = MAX(r->most, r->packets - r->pat);
	}
	r->pat = r->packets;
}

/* Adds a packet to the transport buffer of its PID. */
static void fill(struct rig *r, size_t i)
{
	double drained = ms_of(r, r->packets - r->level_at[i]) *
			 T_STD_TABLES_BPS / 8 / 1000;

	r->level[i] -= MIN(drained, r->level[i]);
	r->level[i] += TS_PACKET;
	r->level_at[i] = r->packets;
	r->highest = MAX(r->highest, r->level[i]);
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;
	size_t len;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			size_t at = ts_pid(p) - (size_t)PMT_OUT;
			const uint8_t *section;

			r->packets++;
			r->cc_errors += cc_feed(&r->cc, p) != CC_OK;
			if (ts_pid(p) == TS_PID_PAT)
				on_pat(r);
			if (at >= PROGRAMS_MAX)
				continue;
			fill(r, at);
			section_push(&r->pmts[at], p);
			while ((section = section_pull(&r->pmts[at], &len)))
				on_pmt(r, section);
		}
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	mux_feed(r->mux, 0, runs, n_runs);
}

static struct rig *rig_of(unsigned programs, unsigned descriptors,
			  unsigned kbps)
{
	static const struct remux_options options = { .set_tsid = 5 };
	struct rig *r = xcalloc(1, sizeof *r);

	r->programs = programs;
	r->descriptors = descriptors;
	r->kbps = kbps;
	r->now_ns = 1000 * SECOND_NS;
	r->pcr = 1000 * PCR_HZ;
	r->source = build_new();
	for (size_t i = 0; i < PROGRAMS_MAX; i++)
		section_init(&r->pmts[i], r->buffers[i], SECTION_PSI_MAX);
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = 1, .kbps = kbps, .delay_ms = DELAY_MS,
		.tsid = 5, .onid = 6, .versions = &r->versions,
		.continuity = &r->continuity, .out = on_out, .arg = r });
	mux_setup(r->mux, 0, &(struct mux_source_config){
		.base = BASE, .count = 100, .priority = 100 });
	r->remux = remux_new(&(struct remux_config){
		.options = &options, .versions = &r->versions,
		.place = mux_place(r->mux, 0), .out = on_remuxed, .arg = r });
	mux_set_remux(r->mux, 0, r->remux);
	return r;
}

static struct rig *rig_new(unsigned programs, unsigned descriptors)
{
	return rig_of(programs, descriptors, KBPS);
}

static void rig_free(struct rig *r)
{
	remux_free(&r->remux);
	mux_free(&r->mux);
	build_free(r->source);
	free(r);
}

static void put_tables(struct rig *r)
{
	struct build_entry list[PROGRAMS_MAX];
	char descriptors[SECTION_PSI_MAX];
	uint8_t section[SECTION_PSI_MAX];
	size_t len;

	for (size_t at = 0; at < r->descriptors; at += 252) {
		memset(descriptors + at, (int)r->version, 252);
		descriptors[at] = (char)0xa0;
		descriptors[at + 1] = (char)250;
	}
	for (uint16_t i = 0; i < r->programs; i++)
		list[i] = (struct build_entry){ (uint16_t)(i + 1),
			(uint16_t)(PMT_IN + (r->shared ? 0 : i)) };
	len = build_pat(section, 0, list, r->programs);
	(void)build_section(r->source, 0, section, len);
	for (uint16_t i = 0; i < r->programs; i++) {
		const struct build_es es = { r->bursts ? 0x03 : 0x02,
					     (uint16_t)(VIDEO_IN + i),
					     descriptors, r->descriptors };

		len = build_pmt(section, (struct build_entry){
			list[i].number, es.pid }, r->version, &es, 1);
		(void)build_section(r->source, list[i].pid, section, len);
	}
}

static unsigned burst_of(const struct rig *r)
{
	return r->bursts && r->ticks % 20 == 0 ? 90 : 1 + r->crowd / 10;
}

/* Packets of all programs in this time, which is one turn of the mux. */
static void play_turn(struct rig *r, unsigned ms)
{
	struct ts_run run;

	for (unsigned tick = 0; tick < ms / TICK_MS; tick++) {
		if (r->ticks++ % TABLES_TICKS == 0)
			put_tables(r);
		for (uint16_t i = 0; i < r->programs; i++) {
			(void)build_pcr(r->source, (uint16_t)(VIDEO_IN + i),
					r->pcr);
			(void)build_pes(r->source, (uint16_t)(VIDEO_IN + i),
					"", 0);
			for (unsigned k = burst_of(r); k > 1; k--)
				(void)build_payload(r->source,
					(uint16_t)(VIDEO_IN + i), 0x55);
		}
		r->pcr += TICK_MS * (PCR_HZ / 1000);
	}
	r->now_ns += ms * MS;
	run = build_run(r->source);
	mux_heard(r->mux, 0, r->now_ns);
	remux_feed(r->remux, &run, 1, r->now_ns);
	r->source->n = 0;
	mux_turn(r->mux, r->now_ns, r->now_ns / MS);
}

static void play(struct rig *r, unsigned ms)
{
	for (; ms > 0; ms -= TICK_MS)
		play_turn(r, TICK_MS);
}

/* Begins to measure. */
static void measure(struct rig *r)
{
	r->least = UINT64_MAX;
	r->most = 0;
}

static void expect_distances(const struct rig *r, unsigned least, unsigned most)
{
	cr_expect_geq(ms_of(r, r->least), least, "%.1f ms",
		      ms_of(r, r->least));
	cr_expect_leq(ms_of(r, r->most), most, "%.1f ms",
		      ms_of(r, r->most));
	cr_expect_leq(r->highest, T_STD_TB, "%.0f bytes", r->highest);
	cr_expect_eq(r->cc_errors, 0u, "%u", r->cc_errors);
}

Test(mux_pmts, are_evenly_apart_whatever_the_source_does)
{
	struct rig *r = rig_new(8, 0);

	play(r, 2000);
	measure(r);
	play(r, 5000);
	expect_distances(r, 85, 95);
	rig_free(r);
}

Test(mux_pmts, of_a_kilobyte_leave_room_in_the_transport_buffer)
{
	struct rig *r = rig_new(4, 756);

	measure(r);
	play(r, 3000);
	measure(r);
	play(r, 3000);
	expect_distances(r, 80, 100);
	rig_free(r);
}

Test(mux_pmts, on_one_pid_are_sent_one_behind_another)
{
	struct rig *r = rig_new(8, 252);

	r->shared = true;
	measure(r);
	play(r, 3000);
	measure(r);
	play(r, 3000);
	expect_distances(r, 75, 105);
	rig_free(r);
}

/* Its places in the past are filled. */
Test(mux_pmts, keep_their_distances_where_the_worker_stood_still)
{
	struct rig *r = rig_new(4, 504);

	play(r, 3000);
	measure(r);
	for (unsigned i = 0; i < 5; i++) {
		play_turn(r, 600);
		play(r, 1000);
	}
	expect_distances(r, 60, 120);
	rig_free(r);
}

Test(mux_pmts, a_change_is_sent_when_its_packets_leave)
{
	struct rig *r = rig_new(2, 0);
	uint64_t before;

	play(r, 3000);
	for (unsigned i = 0; i < 5; i++) {
		r->version++;
		r->descriptors = 252;
		r->ticks = 0; /* the tables are sent now */
		before = r->packets;
		play(r, 1000);
		for (unsigned k = 0; k < 2; k++) {
			double ms = ms_of(r, r->changed[k] - before);

			/* the remux sends one in 100 ms */
			cr_expect_geq(ms, DELAY_MS - 2 * TICK_MS, "%.1f", ms);
			cr_expect_leq(ms, DELAY_MS + 3 * TICK_MS, "%.1f", ms);
		}
		cr_expect_eq(r->cc_errors, 0u);
		cr_expect_leq(r->highest, T_STD_TB);
	}
	rig_free(r);
}

/* The rate is exceeded for a moment: what cbr has grows by 100 ms at once. */
Test(mux_pmts, keep_their_distances_while_packets_wait_for_the_rate)
{
	struct rig *r = rig_new(8, 0);

	play(r, 3000);
	measure(r);
	for (unsigned i = 0; i < 5; i++) {
		r->crowd = 400;
		play(r, 20);
		r->crowd = 0;
		play(r, 700);
	}
	expect_distances(r, 80, 100);
	rig_free(r);
}

/* A late turn begins where packets of the last one wait. */
Test(mux_pmts, on_one_pid_keep_their_distances_in_late_turns)
{
	struct rig *r = rig_new(4, 504);

	r->shared = true;
	play(r, 3000);
	measure(r);
	for (unsigned i = 0; i < 10; i++) {
		play_turn(r, 170);
		play(r, 110);
	}
	expect_distances(r, 60, 115);
	rig_free(r);
}

Test(mux_pmts, do_not_wait_for_packets_that_are_spread)
{
	struct rig *r = rig_new(8, 0);

	r->bursts = true;
	play(r, 3000);
	measure(r);
	play(r, 5000);
	expect_distances(r, 75, 105);
	rig_free(r);
}
