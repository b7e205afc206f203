/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the own tables of a stream together. */
#include "worker/stream/own_tables.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/remux/table_versions.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { NULLS = 40, TURN_MS = 20 };

static struct {
	struct psi *psi;
	struct table_versions versions;
	uint8_t cc[TS_PIDS];
	struct stream_spec *spec;
	json_t *keys;
	struct own_tables *own;
	uint64_t ms;
	struct section_assembler in;
	uint8_t buffer[SECTION_MAX];
	size_t n_source, n_own; /* TDTs */
} g;

/* A TDT of the source begins with 0xc0, that of `si' with 0xdd. */
static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	const uint8_t *s;
	size_t len;

	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) != SI_PID_TDT)
				continue;
			section_push(&g.in, p);
			while ((s = section_pull(&g.in, &len)) != NULL) {
				g.n_source += s[3] == 0xc0;
				g.n_own += s[3] == 0xdd;
			}
		}
}

static void open_with(const char *keys)
{
	const struct build_entry entry = { 1, 0x100 };
	struct build *b = build_new();
	uint8_t section[1024];
	struct errmsg error;
	struct ts_run run;

	g.psi = psi_new();
	(void)build_section(b, 0, section, build_pat(section, 0, &entry, 1));
	run = build_run(b);
	for (size_t i = 0; i < run.n; i++)
		(void)psi_feed(g.psi, run.data + i * TS_PACKET);
	build_free(b);
	section_init(&g.in, g.buffer, sizeof g.buffer);
	g.spec = xcalloc(1, sizeof *g.spec);
	g.keys = json_loads(keys, 0, NULL);
	cr_assert_not_null(g.keys);
	(void)!stream_spec_parse(g.keys, g.spec, &error);
	g.own = own_tables_new(&(struct own_tables_config){
		.spec = g.spec, .psi = g.psi, .versions = &g.versions,
		.cc = g.cc, .out = take });
	cr_assert_not_null(g.own);
	g.ms = 1000;
}

static void done(void)
{
	own_tables_free(&g.own);
	psi_free(&g.psi);
	json_decref(g.keys);
	free(g.spec);
}

/* Seconds of a stream with a TDT in each turn. */
static void pass(unsigned ms)
{
	static const uint8_t tdt[] = { 0x70, 0x70, 5, 0xc0, 0, 1, 2, 3 };
	struct build *b = build_new();

	g.n_source = g.n_own = 0;
	for (unsigned t = 0; t < ms; t += TURN_MS, g.ms += TURN_MS) {
		struct ts_run run;

		b->n = 0;
		(void)build_section(b, SI_PID_TDT, tdt,
				    sizeof tdt);
		for (size_t i = 0; i < NULLS; i++)
			build_payload(b, TS_PID_NULL, 0);
		run = build_run(b);
		own_tables_feed(g.own, &run, 1, g.ms * MS);
	}
	build_free(b);
}

Test(own_tables, a_change_of_the_clock_leaves_the_tdt_of_si_alone)
{
	open_with("{\"si\": [{\"pid\": 20, \"interval\": 100, "
		  "\"hex\": \"707005dd00010203\"}]}");
	pass(1000);
	cr_expect_eq(g.n_source, 0);
	cr_expect_gt(g.n_own, 0);
	own_tables_set_clock(g.own, false);
	pass(1000);
	cr_expect_eq(g.n_source, 0, "%zu", g.n_source);
	cr_expect_gt(g.n_own, 0);
	done();
}

Test(own_tables, a_tdt_of_the_source_passes_without_one_in_si)
{
	open_with("{\"bat\": \"off\"}");
	pass(1000);
	cr_expect_gt(g.n_source, 0);
	own_tables_set_clock(g.own, false);
	pass(1000);
	cr_expect_gt(g.n_source, 0);
	done();
}
