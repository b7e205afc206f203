/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan that the API shows: each number of two inputs, and why. */
#include "worker/mux/mux_plan.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "proto/spec/plan_shape.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/mux/mux.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUTS = 2, STREAMS = 100 };

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct remux *remux[INPUTS];
	struct build *in;
	uint64_t now_ns;
	struct source {
		struct mux *mux;
		size_t i;
	} sources[INPUTS];
};

static void ignore(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct source *s = arg;

	mux_feed(s->mux, s->i, runs, n_runs);
}

/* options: of each input; count: the size of the blocks at 100 and 200 */
static struct rig *rig_new(const struct remux_options *options, bool keep,
			   uint16_t count)
{
	struct rig *r = xcalloc(1, sizeof *r);

	r->now_ns = SECOND_NS;
	r->in = build_new();
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = INPUTS, .kbps = 4000, .delay_ms = 400,
		.tsid = 5, .onid = 6, .keep = keep,
		.versions = &r->versions, .continuity = &r->continuity,
		.out = ignore, .arg = r });
	for (size_t i = 0; i < INPUTS; i++) {
		const struct remux_options *o = &options[i];
		uint16_t pids[REMUX_MAPS_MAX];

		for (size_t k = 0; k < o->n_maps; k++)
			pids[k] = o->maps[k].pid;
		mux_setup(r->mux, i, &(struct mux_source_config){
			.base = (uint16_t)(100 * (i + 1)), .count = count,
			.n_pids = o->n_maps, .pids = pids,
			.number = o->set_pnr });
	}
	for (size_t i = 0; i < INPUTS; i++) {
		r->sources[i] = (struct source){ r->mux, i };
		r->remux[i] = remux_new(&(struct remux_config){
			.options = &options[i], .versions = &r->versions,
			.place = mux_place(r->mux, i),
			.out = on_remuxed, .arg = &r->sources[i] });
		mux_set_remux(r->mux, i, r->remux[i]);
	}
	return r;
}

static void rig_free(struct rig *r)
{
	for (size_t i = 0; i < INPUTS; i++)
		remux_free(&r->remux[i]);
	mux_free(&r->mux);
	build_free(r->in);
	free(r);
}

/* Program 1 with its PMT on 0x100, and n streams from 0x101 on. */
static void put_program(struct rig *r, size_t i, size_t n)
{
	const struct build_entry one = { 1, 0x100 };
	struct build_es es[STREAMS];
	uint8_t section[SECTION_PSI_MAX];
	struct ts_run run;
	size_t len;

	for (size_t k = 0; k < n; k++)
		es[k] = (struct build_es){ k == 0 ? 0x1b : 0x0f,
					   (uint16_t)(0x101 + k), NULL, 0 };
	r->in->n = 0;
	len = build_pat(section, 0, &one, 1);
	(void)build_section(r->in, 0, section, len);
	len = build_pmt(section, one, 0, es, n);
	(void)build_section(r->in, 0x100, section, len);
	run = build_run(r->in);
	mux_heard(r->mux, i, r->now_ns);
	remux_feed(r->remux[i], &run, 1, r->now_ns);
	mux_turn(r->mux, r->now_ns, 0);
	r->now_ns += 10 * MS;
}

/* Compares a part of the plan, which must have the shape that the master
 * accepts; returns the first PID of the next part. */
static unsigned expect(const struct rig *r, size_t input, unsigned from,
		       const char *wanted)
{
	struct errmsg error = { 0 };
	unsigned next;
	json_t *plan = mux_plan(r->mux, input, from, &next);
	char *text = json_dumps(plan, JSON_COMPACT);

	cr_expect_eq(field_read(&plan_fields, plan, NULL, &error), 0, "%s",
		     error.text);
	if (wanted != NULL)
		cr_expect_str_eq(text, wanted);
	free(text);
	json_decref(plan);
	return next;
}

Test(mux_plan, names_block_map_and_set_pnr)
{
	const struct remux_options options[INPUTS] = { { 0 }, {
		.set_pnr = 77, .n_maps = 1,
		.maps = { { .what = MAP_VIDEO, .pid = 2000 } } } };
	struct rig *r = rig_new(options, false, 100);

	put_program(r, 0, 2);
	put_program(r, 1, 2);
	cr_expect_eq(expect(r, 0, 0, "{\"block\":{\"first\":100,\"last\":199},"
		"\"services\":[{\"pnr\":1,\"out\":101,\"pmt_pid\":156,"
		"\"from\":\"block\"}],\"pids\":["
		"{\"pid\":256,\"out\":156,\"from\":\"block\"},"
		"{\"pid\":257,\"out\":157,\"from\":\"block\"},"
		"{\"pid\":258,\"out\":158,\"from\":\"block\"}]}"), 0u);
	cr_expect_eq(expect(r, 1, 0, "{\"block\":{\"first\":200,\"last\":299},"
		"\"services\":[{\"pnr\":1,\"out\":77,\"pmt_pid\":256,"
		"\"from\":\"set_pnr\"}],\"pids\":["
		"{\"pid\":256,\"out\":256,\"from\":\"block\"},"
		"{\"pid\":257,\"out\":2000,\"from\":\"map\"},"
		"{\"pid\":258,\"out\":258,\"from\":\"block\"}]}"), 0u);
	rig_free(r);
}

Test(mux_plan, names_the_input_that_has_a_number)
{
	const struct remux_options options[INPUTS] = { { 0 } };
	struct rig *r = rig_new(options, true, 100);

	put_program(r, 0, 1);
	put_program(r, 1, 2);
	cr_expect_eq(expect(r, 0, 0, "{\"block\":{\"first\":100,\"last\":199},"
		"\"services\":[{\"pnr\":1,\"out\":1,\"pmt_pid\":256,"
		"\"from\":\"keep\"}],\"pids\":["
		"{\"pid\":256,\"out\":256,\"from\":\"keep\"},"
		"{\"pid\":257,\"out\":257,\"from\":\"keep\"}]}"), 0u);
	cr_expect_eq(expect(r, 1, 0, "{\"block\":{\"first\":200,\"last\":299},"
		"\"services\":[{\"pnr\":1,\"out\":201,\"pmt_pid\":259,"
		"\"from\":\"block\",\"clash\":1}],\"pids\":["
		"{\"pid\":256,\"out\":259,\"from\":\"block\",\"clash\":1},"
		"{\"pid\":257,\"out\":260,\"from\":\"block\",\"clash\":1},"
		"{\"pid\":258,\"out\":258,\"from\":\"keep\"}]}"), 0u);
	rig_free(r);
}

Test(mux_plan, shows_what_has_no_room)
{
	const struct remux_options options[INPUTS] = { { 0 } };
	struct rig *r = rig_new(options, false, 2);

	put_program(r, 0, 2);
	(void)expect(r, 0, 0, "{\"block\":{\"first\":100,\"last\":101},"
		"\"services\":[{\"pnr\":1,\"out\":101,\"pmt_pid\":100,"
		"\"from\":\"block\"}],\"pids\":["
		"{\"pid\":256,\"out\":100,\"from\":\"block\"},"
		"{\"pid\":257,\"out\":101,\"from\":\"block\"},"
		"{\"pid\":258,\"from\":\"block\"}]}");
	/* no tables yet */
	(void)expect(r, 1, 0, "{\"block\":{\"first\":200,\"last\":201},"
			      "\"services\":[],\"pids\":[]}");
	rig_free(r);
}

Test(mux_plan, has_parts_that_fit_a_message)
{
	const struct remux_options options[INPUTS] = { { 0 } };
	struct rig *r = rig_new(options, false, 1000);
	unsigned at = 0, parts = 0;
	size_t n = 0;

	for (size_t i = 0; i < INPUTS; i++)
		put_program(r, i, STREAMS);
	do {
		unsigned next;
		json_t *plan = mux_plan(r->mux, 0, at, &next);

		cr_assert(next == 0 || next > at);
		n += json_array_size(json_object_get(plan, "pids"));
		json_decref(plan);
		(void)expect(r, 0, at, NULL);
		at = next;
		parts++;
	} while (at != 0);
	cr_expect_eq(n, STREAMS + 1u);
	/* each has at most PLAN_PIDS_MAX */
	cr_expect_eq(parts, (STREAMS + 1u) / PLAN_PIDS_MAX + 1);
	rig_free(r);
}
