/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the inputs of a multiplex start in their rings. */
#include "worker/stream/mux_stage.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/ts/packet.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 3, END };

static const char a[] = "stream://1", b[] = "stream://2", c[] = "stream://3";

static void note(struct stream_memory *m, size_t i, const char *address,
		 uint64_t pos)
{
	m->reads[i] = (struct stream_read){
		hash_add(HASH_INIT, address, strlen(address)), pos };
}

static void ignore(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs;
	(void)n_runs;
	(void)arg;
}

/* Where a worker with these inputs starts; without a multiplex if there are
 * none. */
static void start(struct stream_memory *m, const char *const *addresses,
		  uint64_t from[END])
{
	struct msg_stream_start *start = xcalloc(1, sizeof *start);
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	struct mux_stage *s = xcalloc(1, sizeof *s);

	for (; start->n_inputs < INPUTS && addresses[start->n_inputs] != NULL;
	     start->n_inputs++)
		start->inputs[start->n_inputs] = addresses[start->n_inputs];
	start->mux = start->n_inputs > 0;
	spec->mux_kbps = 4000;
	spec->mux_delay_ms = MUX_DELAY_DEFAULT_MS;
	m->splice.at_ns = mono_ns();
	mux_stage_init(s, start, spec, m, ignore, NULL);
	for (size_t i = 0; i < END; i++)
		from[i] = s->sources[i].from;
	mux_stage_turn(s, mono_ns(), 0);
	mux_stage_commit(s);
	mux_stage_done(s);
	free(s);
	free(spec);
	free(start);
}

static struct stream_memory *open_memory(void)
{
	int err;

	return stream_memory_open(-1, mono_ns(), &err);
}

Test(mux_stage, inputs_of_the_same_address_start_where_each_of_them_was)
{
	struct stream_memory *m = open_memory();
	uint64_t from[END];

	note(m, 0, b, 5);
	note(m, 1, a, 7);
	note(m, 2, a, 9);
	start(m, (const char *[INPUTS]){ a, c, a }, from);
	cr_expect_eq(from[0], 7u);
	cr_expect_eq(from[1], 0u);
	cr_expect_eq(from[2], 9u);
	stream_memory_close(&m);
}

Test(mux_stage, an_input_that_was_removed_starts_anew_when_it_returns)
{
	struct stream_memory *m = open_memory();
	uint64_t from[END];

	note(m, 0, a, 7);
	note(m, 1, b, 5);
	start(m, (const char *[INPUTS]){ a }, from);
	cr_expect_eq(from[0], 7u);
	start(m, (const char *[INPUTS]){ a, b }, from);
	cr_expect_eq(from[1], 0u);
	/* the stream was no multiplex meanwhile */
	note(m, 0, a, 7);
	start(m, (const char *[INPUTS]){ NULL }, from);
	start(m, (const char *[INPUTS]){ a }, from);
	cr_expect_eq(from[0], 0u);
	stream_memory_close(&m);
}

/* The guide knows no feeds, and no adapters. */
Test(mux_stage, guides_come_for_inputs_that_are_streams)
{
	struct msg_stream_start *start = xcalloc(1, sizeof *start);
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	struct stream_memory *m = open_memory();
	struct mux_stage *s = xcalloc(1, sizeof *s);

	start->inputs[start->n_inputs++] = "stream://m/1";
	start->inputs[start->n_inputs++] = a;
	start->inputs[start->n_inputs++] = "dvb://d#pnr=1";
	start->mux = true;
	spec->mux_kbps = 4000;
	spec->mux_delay_ms = MUX_DELAY_DEFAULT_MS;
	mux_stage_init(s, start, spec, m, ignore, NULL);
	cr_expect_eq(s->guides, 1u << 2);
	mux_stage_done(s);
	free(s);
	free(spec);
	free(start);
	stream_memory_close(&m);
}

/* The workers of services read their sources at multiples of the period. */
Test(mux_stage, all_inputs_are_read_a_fifth_of_the_period_behind_their_workers)
{
	struct mux_stage *s = xcalloc(1, sizeof *s);
	struct msg_stream_start *start = xcalloc(1, sizeof *start);
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	struct stream_memory *m = open_memory();
	uint64_t grid = 1000 * SECOND_NS;

	start->mux = true;
	spec->mux_kbps = 4000;
	spec->mux_delay_ms = MUX_DELAY_DEFAULT_MS;
	mux_stage_init(s, start, spec, m, ignore, NULL);
	cr_expect(mux_stage_reads(s, grid - 50 * MS), "the first turn");
	cr_expect_not(mux_stage_reads(s, grid));
	cr_expect_not(mux_stage_reads(s, grid + 19 * MS));
	cr_expect(mux_stage_reads(s, grid + 20 * MS));
	cr_expect_not(mux_stage_reads(s, grid + 119 * MS));
	cr_expect(mux_stage_reads(s, grid + 125 * MS), "a late turn");
	cr_expect(mux_stage_reads(s, grid + 220 * MS));
	mux_stage_done(s);
	stream_memory_close(&m);
	free(spec);
	free(start);
	free(s);
}

Test(mux_stage, a_turn_that_is_not_sent_leaves_no_trace)
{
	static const uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE, 1, 0, 0x13 };
	struct msg_stream_start *start = xcalloc(1, sizeof *start);
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	struct stream_memory *m = open_memory(), *before;
	struct mux_stage *s = xcalloc(1, sizeof *s);

	start->inputs[start->n_inputs++] = a;
	start->mux = true;
	spec->mux_kbps = 4000;
	mux_stage_init(s, start, spec, m, ignore, NULL);
	s->live->splice.cc[0x100] = SPLICE_CC_SEEN | 2;
	s->live->table_cc[0x100] = 2;
	before = xcalloc(1, sizeof *before);
	memcpy(before, m, sizeof *m);
	mux_stage_turn(s, mono_ns(), 0);
	cr_expect_eq(memcmp(before, m, sizeof *m), 0);
	mux_stage_note(s, &(struct ts_run){ packet, 1 }, 1);
	mux_stage_commit(s);
	cr_expect_eq(m->splice.cc[0x100], SPLICE_CC_SEEN | 3);
	cr_expect_eq(m->table_cc[0x100], 4);
	cr_expect_neq(m->reads[0].address, 0u);
	mux_stage_done(s);
	stream_memory_close(&m);
	free(before);
	free(s);
	free(spec);
	free(start);
}

/* A worker that crashes at them leaves none to the next one. */
Test(mux_stage, restored_tables_are_kept_after_some_seconds_alone)
{
	struct msg_stream_start *start = xcalloc(1, sizeof *start);
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	struct stream_memory *m = open_memory();
	struct mux_stage *s = xcalloc(1, sizeof *s);
	uint64_t now_ns = mono_ns();

	start->inputs[start->n_inputs++] = a;
	start->mux = true;
	spec->mux_kbps = 4000;
	m->splice.at_ns = now_ns;
	m->mux.whole = 1;
	m->mux.inputs[0].address = hash_add(HASH_INIT, a, strlen(a));
	m->mux.inputs[0].bytes = 8;
	mux_stage_init(s, start, spec, m, ignore, NULL);
	mux_stage_resume(s, now_ns);
	for (unsigned ms = 0; ms < 1500; ms += 500) {
		mux_stage_turn(s, now_ns + ms * MS, 0);
		mux_stage_commit(s);
		cr_expect_eq(m->mux.whole, 0u, "%u ms", ms);
	}
	for (unsigned ms = 2000; ms < 5000; ms += 500) {
		mux_stage_turn(s, now_ns + ms * MS, 0);
		mux_stage_commit(s);
	}
	cr_expect_eq(m->mux.whole, 1u);
	mux_stage_done(s);
	stream_memory_close(&m);
	free(s);
	free(spec);
	free(start);
}

static void count_tdts(const struct ts_run *runs, size_t n_runs, void *arg)
{
	unsigned *n = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			*n += ts_pid(runs[i].data + k * TS_PACKET) ==
			      SI_PID_TDT;
}

/* The TDTs of 26 s, whose system clock is synchronised or not. */
static unsigned tdts(enum clock_lost rule, bool synchronised)
{
	struct msg_stream_start *start = xcalloc(1, sizeof *start);
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	const struct remux_options options = { .set_tsid = 1 };
	struct stream_memory *m = open_memory();
	struct mux_stage *s = xcalloc(1, sizeof *s);
	uint64_t begin_ns = mono_ns();
	struct remux *remux;
	unsigned n = 0;

	start->inputs[start->n_inputs++] = a;
	start->mux = true;
	spec->mux_kbps = 4000;
	spec->mux_delay_ms = MUX_DELAY_DEFAULT_MS;
	spec->tables.clock_lost = rule;
	mux_stage_init(s, start, spec, m, count_tdts, &n);
	remux = remux_new(&(struct remux_config){
		.options = &options, .versions = &m->tables,
		.place = mux_place(s->mux, 0), .out = ignore });
	mux_set_remux(s->mux, 0, remux);
	mux_stage_set_clock(s, synchronised);
	for (uint64_t ms = 0; ms < 26000; ms += 10)
		mux_stage_turn(s, begin_ns + ms * MS, 1000005000 + ms);
	mux_stage_done(s);
	remux_free(&remux);
	stream_memory_close(&m);
	free(s);
	free(spec);
	free(start);
	return n;
}

/* The inputs have no clock that passes. */
Test(mux_stage, a_clock_that_is_lost_ends_the_tdt_if_the_stream_says_so)
{
	cr_expect_eq(tdts(CLOCK_KEEP, true), 3u);
	cr_expect_eq(tdts(CLOCK_KEEP, false), 3u);
	cr_expect_eq(tdts(CLOCK_STOP, true), 3u);
	cr_expect_eq(tdts(CLOCK_STOP, false), 0u);
	cr_expect_eq(tdts(CLOCK_SOURCE, false), 0u);
}
