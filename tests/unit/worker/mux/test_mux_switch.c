/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source of an input becomes another one, with other PIDs and another
 * clock: PMT and PCRs of its service are repeated as before. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/mux/mux.h"
#include "worker/ts/pcr.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	KBPS = 4500,
	TICK_MS = 10,
	DELAY_MS = 400,
	INPUTS = 2,
	BLOCK = 100,
	PMT_MS_MAX = 100,
	PCR_MS_MAX = 40,
	/* another program of the first input, which never changes */
	BESIDE = 50, BESIDE_PMT = 0x150, BESIDE_VIDEO = 0x160,
	/* one that has no PMT */
	BARE = 60, BARE_PMT = 0x170,
};

/* What an input sends. */
struct source {
	uint16_t number, pmt_pid, video_pid;
	uint8_t pat_version, version;
	uint64_t pcr;
	bool silent;
	bool beside; /* it has the other program, too */
	bool bare;   /* and the one without a PMT */
	unsigned ticks;
	unsigned late; /* ticks from the PAT to the PMT */
};

struct input {
	struct rig *rig;
	size_t nth;
	struct remux *remux;
	struct build *build;
	struct source source;
};

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct input inputs[INPUTS];
	uint64_t now_ns;

	/* the output */
	struct psi *psi;
	uint64_t packets; /* all: their number is the time */
	uint64_t pmt_at, pcr_at; /* of the service of the first input */
	uint64_t listed_at;
	double pmt_ms, pcr_ms, absent_ms; /* the longest */
	uint64_t beside_at; /* the other program was listed */
	double beside_ms;
	uint16_t number; /* it has now */
	bool named; /* is its last picture on the PCR PID of its PMT? */
};

static double ms_since(const struct rig *r, uint64_t at)
{
	return (double)(r->packets - at) * TS_PACKET * 8 / KBPS;
}

/* The start of a picture of the service that changes. */
static bool is_video(const uint8_t *p)
{
	static const uint8_t start[] = { 0, 0, 1 };

	return ts_pid(p) != BLOCK + BESIDE_VIDEO % BLOCK &&
	       ts_pid(p) >= BLOCK && ts_pid(p) < 2 * BLOCK && ts_pusi(p) &&
	       ts_has_adaptation(p) && p[4] < TS_PACKET - 8 &&
	       memcmp(p + 5 + p[4], start, sizeof start) == 0;
}

/* Follows the service of the first input, the only one whose number is in the
 * first block beside that of the other program. */
static void look(struct rig *r, const uint8_t *p)
{
	const struct psi_program *list;
	size_t n = psi_programs(r->psi, &list);
	uint16_t pid = ts_pid(p);
	uint64_t pcr;

	for (size_t i = 0; i < n; i++) {
		if (list[i].number >= 2 * BLOCK)
			continue;
		if (list[i].number == BLOCK + BESIDE) {
			r->beside_at = r->packets;
			continue;
		}
		r->listed_at = r->packets;
		r->number = list[i].number;
		if (is_video(p))
			r->named = pid == list[i].pcr_pid;
		if (pid == list[i].pmt_pid && ts_pusi(p))
			r->pmt_at = r->packets;
		if (pid == list[i].pcr_pid && ts_pcr(p, &pcr))
			r->pcr_at = r->packets;
		r->pmt_ms = MAX(r->pmt_ms, ms_since(r, r->pmt_at));
		r->pcr_ms = MAX(r->pcr_ms, ms_since(r, r->pcr_at));
	}
	r->absent_ms = MAX(r->absent_ms, ms_since(r, r->listed_at));
	r->beside_ms = MAX(r->beside_ms, ms_since(r, r->beside_at));
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			r->packets++;
			(void)psi_feed(r->psi, p);
			look(r, p);
		}
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct input *in = arg;

	mux_feed(in->rig->mux, in->nth, runs, n_runs);
}

static void set_input(struct rig *r, size_t nth)
{
	static const struct remux_options options = { .set_tsid = 5 };
	struct input *in = &r->inputs[nth];

	in->rig = r;
	in->nth = nth;
	in->build = build_new();
	in->source = (struct source){ .number = 1, .pmt_pid = 0x100,
				      .video_pid = 0x200,
				      .pcr = (1000 + nth) * PCR_HZ };
	in->remux = remux_new(&(struct remux_config){
		.options = &options, .versions = &r->versions,
		.place = mux_place(r->mux, nth), .out = on_remuxed,
		.arg = in });
	mux_set_remux(r->mux, nth, in->remux);
}

static struct rig *rig_new(void)
{
	struct rig *r = xcalloc(1, sizeof *r);

	r->now_ns = 1000 * SECOND_NS;
	r->psi = psi_new();
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = INPUTS, .kbps = KBPS, .delay_ms = DELAY_MS,
		.tsid = 5, .onid = 6, .versions = &r->versions,
		.continuity = &r->continuity, .out = on_out, .arg = r });
	for (size_t i = 0; i < INPUTS; i++)
		mux_setup(r->mux, i, &(struct mux_source_config){
			.base = (uint16_t)(BLOCK * (i + 1)), .count = BLOCK,
			.priority = 100 });
	for (size_t i = 0; i < INPUTS; i++)
		set_input(r, i);
	return r;
}

static void rig_free(struct rig *r)
{
	for (size_t i = 0; i < INPUTS; i++) {
		remux_free(&r->inputs[i].remux);
		build_free(r->inputs[i].build);
	}
	mux_free(&r->mux);
	psi_free(&r->psi);
	free(r);
}

static void put_pat(struct build *b, const struct source *s)
{
	struct build_entry entries[3] = { { s->number, s->pmt_pid } };
	uint8_t section[SECTION_PSI_MAX];
	size_t n = 1;

	if (s->beside)
		entries[n++] = (struct build_entry){ BESIDE, BESIDE_PMT };
	if (s->bare)
		entries[n++] = (struct build_entry){ BARE, BARE_PMT };
	(void)build_section(b, 0, section,
			    build_pat(section, s->pat_version, entries, n));
}

static void put_pmt(struct build *b, const struct source *s)
{
	const struct build_es es = { 0x02, s->video_pid, "", 0 };
	uint8_t section[SECTION_PSI_MAX];
	size_t len;

	len = build_pmt(section, (struct build_entry){ s->number,
						       s->video_pid },
			s->version, &es, 1);
	(void)build_section(b, s->pmt_pid, section, len);
}

static void put_beside(struct build *b, const struct source *s)
{
	const struct build_es es = { 0x02, BESIDE_VIDEO, "", 0 };
	uint8_t section[SECTION_PSI_MAX];

	if (s->ticks % 10 == 1)
		(void)build_section(b, BESIDE_PMT, section, build_pmt(section,
			(struct build_entry){ BESIDE, BESIDE_VIDEO }, 0, &es,
			1));
	(void)build_pcr(b, BESIDE_VIDEO, s->pcr);
	(void)build_pes(b, BESIDE_VIDEO, "", 0);
}

static void play_input(struct rig *r, struct input *in)
{
	struct source *s = &in->source;
	struct ts_run run;

	s->pcr += TICK_MS * (PCR_HZ / 1000);
	if (!s->silent) {
		if (s->ticks % 10 == 0)
			put_pat(in->build, s);
		if (s->ticks++ % 10 == s->late)
			put_pmt(in->build, s);
		(void)build_pcr(in->build, s->video_pid, s->pcr);
		(void)build_pes(in->build, s->video_pid, "", 0);
		for (unsigned k = 0; k < 5; k++)
			(void)build_payload(in->build, s->video_pid, 0x55);
		if (s->beside)
			put_beside(in->build, s);
		mux_heard(r->mux, in->nth, r->now_ns);
	}
	run = build_run(in->build);
	remux_feed(in->remux, &run, 1, r->now_ns);
	in->build->n = 0;
}

static void play(struct rig *r, unsigned ms)
{
	for (; ms > 0; ms -= TICK_MS) {
		r->now_ns += TICK_MS * MS;
		for (size_t i = 0; i < INPUTS; i++)
			play_input(r, &r->inputs[i]);
		mux_turn(r->mux, r->now_ns, r->now_ns / MS);
	}
}

/* How the other source differs, and how long none sends in front of it. */
struct change {
	const char *name;
	bool pmt_pid, video_pid, number, clock;
	unsigned silent_ms;
	unsigned late; /* ticks from its PAT to its PMT */
	bool beside; /* the other program stays */
};

static void apply(struct rig *r, const struct change *c)
{
	struct source *s = &r->inputs[0].source;

	s->silent = true;
	play(r, c->silent_ms);
	s->silent = false;
	s->ticks = 0; /* its PAT is sent now */
	s->late = c->late;
	s->version++;
	s->pat_version++;
	s->pmt_pid ^= c->pmt_pid ? 0x10 : 0;
	s->video_pid ^= c->video_pid ? 0x20 : 0;
	s->number ^= c->number ? 2 : 0;
	s->pcr += c->clock ? 100 * PCR_HZ : 0;
}

static void expect_repeated(const struct rig *r, const char *name)
{
	cr_expect_leq(r->pmt_ms, PMT_MS_MAX, "%s: PMT %.1f ms", name,
		      r->pmt_ms);
	cr_expect_leq(r->pcr_ms, PCR_MS_MAX, "%s: PCR %.1f ms", name,
		      r->pcr_ms);
	cr_expect_leq(r->absent_ms, 1, "%s: PAT %.1f ms", name, r->absent_ms);
	if (r->inputs[0].source.beside)
		cr_expect_leq(r->beside_ms, 1, "%s: other %.1f ms", name,
			      r->beside_ms);
}

/* Two switches, there and back. */
static void expect_switches(const struct change *c)
{
	struct rig *r = rig_new();

	r->inputs[0].source.beside = c->beside;
	play(r, 1500);
	r->pmt_ms = r->pcr_ms = r->absent_ms = r->beside_ms = 0;
	for (unsigned i = 0; i < 2; i++) {
		apply(r, c);
		play(r, 900);
	}
	cr_expect(r->named, "%s", c->name);
	expect_repeated(r, c->name);
	rig_free(r);
}

Test(mux_switch, repeats_a_pmt_that_moves_and_its_pcrs)
{
	expect_switches(&(struct change){ "at once", .pmt_pid = true });
	expect_switches(&(struct change){ "other streams", .pmt_pid = true,
					  .video_pid = true });
	expect_switches(&(struct change){ "other clock", .pmt_pid = true,
					  .video_pid = true, .clock = true });
}

/* The clock is one that no PMT names for a moment, and had no PCRs before. */
Test(mux_switch, inserts_pcrs_behind_a_pause)
{
	expect_switches(&(struct change){ "at once", .pmt_pid = true,
					  .silent_ms = 350 });
	expect_switches(&(struct change){ "other streams", .pmt_pid = true,
					  .video_pid = true,
					  .silent_ms = 450 });
	expect_switches(&(struct change){ "the same PIDs", .clock = true,
					  .silent_ms = 350 });
}

Test(mux_switch, keeps_the_pmt_where_the_service_has_another_number)
{
	expect_switches(&(struct change){ "at once", .number = true,
					  .video_pid = true });
	expect_switches(&(struct change){ "behind a pause", .number = true,
					  .pmt_pid = true, .video_pid = true,
					  .clock = true, .silent_ms = 350 });
}

Test(mux_switch, keeps_a_service_until_the_pmt_of_another_number_follows)
{
	expect_switches(&(struct change){ "at once", .number = true,
					  .video_pid = true, .late = 5 });
	expect_switches(&(struct change){ "other clock", .number = true,
					  .pmt_pid = true, .video_pid = true,
					  .clock = true, .late = 5 });
}

Test(mux_switch, keeps_one_of_several_services_until_its_pmt_follows)
{
	expect_switches(&(struct change){ "one", .number = true,
					  .beside = true });
	expect_switches(&(struct change){ "one, late", .number = true,
					  .late = 5, .beside = true });
	expect_switches(&(struct change){ "other streams", .number = true,
					  .pmt_pid = true, .video_pid = true,
					  .late = 5, .beside = true });
}

/* Without a PMT for a longer time it leaves. */
Test(mux_switch, does_not_keep_a_service_that_has_no_pmt)
{
	struct rig *r = rig_new();

	play(r, 1500);
	r->absent_ms = 0;
	apply(r, &(struct change){ .number = true, .video_pid = true,
				   .late = 10 });
	play(r, 400);
	cr_expect_leq(r->absent_ms, 1, "%.1f ms", r->absent_ms);
	play(r, 900);
	cr_expect_geq(r->absent_ms, 500, "%.1f ms", r->absent_ms);
	rig_free(r);
}

/* A program that never has a PMT keeps no other one that leaves, and ends no
 * wait for the PMT of one that follows. */
Test(mux_switch, does_not_wait_for_a_program_that_had_no_pmt_before)
{
	struct rig *r = rig_new();
	struct source *s = &r->inputs[0].source;

	s->beside = s->bare = true;
	play(r, 1500);
	for (unsigned i = 0; i < 2; i++) {
		r->absent_ms = 0;
		apply(r, &(struct change){ .number = true, .video_pid = true,
					   .late = 5 });
		play(r, 900);
		cr_expect_leq(r->absent_ms, 1, "change %u: %.1f ms", i,
			      r->absent_ms);
	}
	apply(r, &(struct change){ .name = "the other one leaves" });
	s->beside = false;
	play(r, 200);
	cr_expect_geq(ms_since(r, r->beside_at), 150, "%.1f ms",
		      ms_since(r, r->beside_at));
	rig_free(r);
}

/* The program that goes on with another number is the only one with a PMT. */
Test(mux_switch, keeps_a_service_beside_a_program_without_a_pmt)
{
	struct rig *r = rig_new();

	r->inputs[0].source.bare = true;
	play(r, 1500);
	for (unsigned i = 0; i < 2; i++) {
		r->absent_ms = 0;
		apply(r, &(struct change){ .number = true, .video_pid = true,
					   .late = 5 });
		play(r, 1500);
		cr_expect_leq(r->absent_ms, 1, "change %u: %.1f ms", i,
			      r->absent_ms);
	}
	rig_free(r);
}

/* What leaves the delay are packets of the old streams: the PMT names them,
 * whose number is the new one. */
Test(mux_switch, names_the_streams_that_leave)
{
	struct rig *r = rig_new();

	play(r, 1500);
	apply(r, &(struct change){ .pmt_pid = true, .video_pid = true,
				   .number = true });
	play(r, 100);
	for (unsigned ms = 100; ms < 800; ms += 50) {
		cr_expect(r->named, "%u ms", ms);
		cr_expect_eq(r->number, BLOCK + 3, "%u", r->number);
		play(r, 50);
	}
	rig_free(r);
}
