/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the own tables of a stream together. */
#include "worker/stream/own_tables.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "proto/ipc/msg.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/remux/table_versions.h"
#include "worker/stream/own_others.h"
#include "worker/stream/passed_eits.h"
#include "worker/tables/eit_image.h"
#include "worker/tables/eit_versions.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NULLS = 40, TURN_MS = 20 };

static struct {
	struct psi *psi;
	struct table_versions versions;
	struct eit_versions eit_versions;
	struct passed_list passed;
	uint8_t cc[TS_PIDS];
	struct stream_spec *spec;
	json_t *keys;
	uint64_t guides; /* of the config */
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
		.eit_versions = &g.eit_versions, .passed = &g.passed,
		.cc = g.cc, .guides = g.guides, .out = take });
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

/* --- SDT other --- */

static unsigned built; /* how often */

void __real_own_others_begin(struct own_others *);
void __wrap_own_others_begin(struct own_others *);

void __wrap_own_others_begin(struct own_others *o)
{
	built++;
	__real_own_others_begin(o);
}

/* Stream b has service 21 with this status and this event. */
static void give(uint8_t status, uint8_t event)
{
	const uint8_t bytes[EIT_EVENT_HEAD] = { 0, event };
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct msg_stream_guide m = { .stream = "b" };
	struct buf b = { 0 };

	eit_image_begin(&b, 9, 1);
	eit_image_service(&b, 21, status, 1);
	eit_image_event(&b, &(struct eit_item){ 1548158400, 3600, sizeof bytes,
						bytes });
	cr_assert_eq(write(fd, buf_head(&b), buf_len(&b)),
		     (ssize_t)buf_len(&b));
	m.len = (uint32_t)buf_len(&b);
	own_tables_guide(g.own, &m, fd);
	(void)close(fd);
	buf_done(&b);
}

/* That of the output, for which own EIT wait. */
static void send_sdt(void)
{
	static const uint8_t body[] = { 0, 9, 0xff };
	struct build *b = build_new();
	uint8_t section[1024];
	struct ts_run run;

	(void)build_section(b, SI_PID_SDT, section,
			    build_table(section, &(struct build_table){
		.table_id = SDT_TABLE_ID, .extension = 5, .body = body,
		.len = sizeof body }));
	built = 0;
	run = build_run(b);
	own_tables_feed(g.own, &run, 1, g.ms * MS);
	build_free(b);
}

/* How often it was built in a while. */
static unsigned builds(void)
{
	built = 0;
	pass(200);
	return built;
}

Test(own_tables, an_sdt_other_is_built_when_its_content_changes)
{
	json_t *streams = json_loads("{\"b\": {\"set_tsid\": 7, "
				     "\"set_pnr\": 21}}", 0, NULL);

	open_with("{\"sdt_other\": true, \"eit_other\": \"all\", "
		  "\"nit_other\": [\"b\"], \"eit\": \"own\"}");
	own_tables_set_others(g.own, streams);
	give(0x81, 1);
	cr_expect_eq(builds(), 0, "own EIT wait");
	send_sdt();
	cr_expect_eq(built, 1);
	cr_expect_eq(builds(), 0);
	give(0x81, 2);
	cr_expect_eq(builds(), 0, "other events");
	give(0x91, 2);
	cr_expect_eq(builds(), 1, "another status");
	own_tables_set_others(g.own, streams);
	cr_expect_eq(builds(), 1, "other keys");
	json_decref(streams);
	done();
}

Test(own_tables, an_sdt_other_waits_for_a_guide_that_runs)
{
	json_t *streams = json_loads("{\"b\": {\"set_tsid\": 7, "
				     "\"set_pnr\": 21}}", 0, NULL);

	for (g.guides = 0; g.guides < 2; g.guides++) {
		open_with("{\"sdt_other\": true, \"nit_other\": [\"b\"]}");
		own_tables_set_others(g.own, streams);
		cr_expect_eq(builds(), g.guides == 0 ? 1 : 0);
		give(0x81, 1);
		cr_expect_eq(builds(), 1);
		done();
	}
	json_decref(streams);
}
