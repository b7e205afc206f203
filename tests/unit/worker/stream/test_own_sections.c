/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections that an operator wrote, beside the PIDs of the programs. */
#include "worker/stream/own_sections.h"

#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/tables/table_stage.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	PMT = 0x100, VIDEO, ECM, PCR, FREE, EMM,
	STEP_MS = 10, STEPS = 200, STEP_PACKETS = 8,
	OWN = 0x90, /* the table_id of the own section */
	TABLE_AT = 5, /* in the first packet of a section */
};

static uint8_t counters[TS_PIDS];

static struct {
	struct psi *psi;
	struct table_stage *stage;
	struct own_sections *sections;
	uint64_t ms;
	unsigned passed[TS_PIDS]; /* packets without own sections */
	unsigned own[TS_PIDS];    /* own sections */
	unsigned bats; /* of the source */
} g;

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			bool own = ts_pusi(p) && p[TABLE_AT] == OWN;

			g.bats += ts_pid(p) == SI_PID_SDT && ts_pusi(p) &&
				  p[TABLE_AT] == BAT_TABLE_ID;
			(own ? g.own : g.passed)[ts_pid(p)]++;
		}
}

/* A program with ECMs whose PCR is on a PID of its own. */
static void read_tables(struct psi *psi)
{
	static const struct build_entry program = { 1, PMT };
	static const char ca[] = { 9, 4, 5, 0, (char)(0xe0 | ECM >> 8),
				   ECM & 0xff };
	static const struct build_es es = { 0x1b, VIDEO, ca, sizeof ca };
	struct build *b = build_new();
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, &program, 1);

	(void)build_section(b, TS_PID_PAT, section, len);
	len = build_pmt(section, program, 0, &es, 1);
	section[8] = 0xe0 | PCR >> 8; /* PCR_PID */
	section[9] = PCR & 0xff;
	build_mend_crc(section, len);
	(void)build_section(b, PMT, section, len);
	for (size_t i = 0; i < b->n; i++)
		(void)psi_feed(psi, build_packet(b, i));
	build_free(b);
}

/* The stream has this section on this PID. */
static void init(const char *hex, uint16_t pid)
{
	static struct tables_spec spec;

	g.ms = 1000;
	spec.n_si = 1;
	spec.si[0] = (struct si_section_spec){
		.hex = hex, .pid = pid, .interval_ms = 100,
		.version = SI_VERSION_ABSENT };
	g.psi = psi_new();
	g.stage = table_stage_new(
		&(struct table_stage_config){ .cc = counters, .out = take });
	g.sections = own_sections_new(&spec, g.stage);
	read_tables(g.psi);
}

static void done(void)
{
	own_sections_free(&g.sections);
	table_stage_free(&g.stage);
	psi_free(&g.psi);
}

/* A step with a BAT, a PCR, an ECM and a packet of the free PID. */
static void step(struct build *b)
{
	uint8_t bat[SECTION_PSI_MAX];
	struct ts_run run;

	(void)build_section(b, SI_PID_SDT, bat,
			    build_table(bat, &(struct build_table){
				.table_id = BAT_TABLE_ID, .extension = 1,
				.body = "\xf0\0\xf0\0", .len = 4 }));
	(void)build_pcr(b, PCR, g.ms * 27000);
	(void)build_payload(b, ECM, 0);
	(void)build_payload(b, FREE, 0);
	(void)build_null(b);
	run = build_run(b);
	table_stage_feed(g.stage, &run, 1, g.ms * MS, g.ms);
	g.ms += STEP_MS;
}

static void play(void)
{
	for (unsigned i = 0; i < STEPS; i++) {
		struct build *b = build_new_of(STEP_PACKETS);

		step(b);
		build_free(b);
	}
}

static const char section[] = "90f009 0001 c1 0000";

Test(own_sections, replace_the_packets_of_an_unused_pid)
{
	init(section, FREE);
	own_sections_use(g.sections, g.psi);
	play();
	cr_expect_eq(g.passed[FREE], 0u);
	cr_expect_gt(g.own[FREE], 10u);
	cr_expect_eq(g.passed[PCR], STEPS);
	cr_expect_eq(g.passed[ECM], STEPS);
	done();
}

Test(own_sections, leave_pids_of_pcrs_and_ecms_alone)
{
	static const uint16_t pids[] = { PCR, ECM, VIDEO, PMT };

	for (size_t i = 0; i < sizeof pids / sizeof *pids; i++) {
		unsigned pcrs = g.passed[PCR], ecms = g.passed[ECM];

		init(section, pids[i]);
		own_sections_use(g.sections, g.psi);
		play();
		cr_expect_eq(g.own[pids[i]], 0u, "PID %u", pids[i]);
		cr_expect_eq(g.passed[PCR] - pcrs, STEPS);
		cr_expect_eq(g.passed[ECM] - ecms, STEPS);
		done();
	}
}

Test(own_sections, a_table_that_the_stream_drops_stays_dropped)
{
	init("4af00d 0001 c1 0000 f000 f000", FREE);
	table_stage_drop(g.stage, BAT_TABLE_ID, true);
	own_sections_use(g.sections, g.psi);
	play();
	cr_expect_eq(g.bats, 0u);
	done();
	/* and without that it passes */
	init("4af00d 0001 c1 0000 f000 f000", FREE);
	own_sections_use(g.sections, g.psi);
	play();
	cr_expect_gt(g.bats, 0u);
	done();
}

Test(own_sections, leave_the_pid_of_emms_alone)
{
	static const uint8_t body[] = { 9, 4, 5, 0, 0xe0 | EMM >> 8,
					EMM & 0xff };
	uint8_t cat[SECTION_PSI_MAX];
	struct build *b = build_new();
	struct ts_run run;

	init(section, EMM);
	own_sections_use(g.sections, g.psi);
	play();
	cr_expect_gt(g.own[EMM], 10u);
	memset(&g.own, 0, sizeof g.own);
	(void)build_section(b, SI_PID_CAT, cat,
			    build_table(cat, &(struct build_table){
				.table_id = CAT_TABLE_ID, .extension = 0xffff,
				.body = body, .len = sizeof body }));
	run = build_run(b);
	own_sections_feed(g.sections, g.psi, &run, 1);
	play();
	cr_expect_leq(g.own[EMM], 1u, "one may wait");
	/* a CAT that does not list it any more */
	b->n = 0;
	(void)build_section(b, SI_PID_CAT, cat,
			    build_table(cat, &(struct build_table){
				.table_id = CAT_TABLE_ID, .version = 1,
				.extension = 0xffff }));
	run = build_run(b);
	own_sections_feed(g.sections, g.psi, &run, 1);
	play();
	cr_expect_gt(g.own[EMM], 10u);
	build_free(b);
	done();
}
