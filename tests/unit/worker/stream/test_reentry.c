/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two inputs with long groups of pictures, in virtual time: what a switch knows
 * about an input that was on air before.
 */
#include "common/base/log.h"
#include "common/base/units.h"
#include "tests/unit/worker/splice/source.h"
#include "worker/stream/selector_state.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_MS = 10,
	SECOND_TICKS = 100,
	PER_TICK = SOURCE_RATE * TICK_MS / 1000,
	GOP_PICTURES = 300, /* 12 s */
	SWITCHES_MAX = 8,
};

struct world {
	struct stream_memory *memory;
	struct splice *splice;
	struct selector *selector;
	struct source *sources[2];
	struct input_chain *reading;
	uint64_t now_ns;
	uint64_t ticks;
	struct selector_switch switches[SWITCHES_MAX];
	size_t n_switches;
};

static struct world w;

static void ignore_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

static void note_switch(const struct selector_switch *sw, void *arg)
{
	(void)arg;
	cr_assert_lt(w.n_switches, (size_t)SWITCHES_MAX);
	w.switches[w.n_switches++] = *sw;
}

/* As the pipeline does. */
static void remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct input_chain *c = w.reading;
	struct selector_part part;

	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		analyze_feed(c->analyze, runs[i]);
	part.runs = runs;
	part.n_runs = n_runs;
	if (selector_route(w.selector, &c->candidate, &part) ==
	    SELECTOR_ON_AIR)
		splice_feed(w.splice, part.runs, part.n_runs, w.now_ns);
}

static void setup(void)
{
	static const struct msg_stream_start start = {
		.n_inputs = 2,
		.inputs = { "udp://127.0.0.1:9001", "udp://127.0.0.1:9002" },
		.first = 1,
	};
	struct stream_spec spec;
	int err;

	log_open(NULL, NULL, LOG_LEVEL_ERROR);
	stream_spec_init(&spec);
	w = (struct world){ .now_ns = 1000 * SECOND_NS };
	w.memory = stream_memory_open(-1, w.now_ns, &err);
	w.splice = splice_new(&(struct splice_config){
		.out = ignore_packets, .continuity = &w.memory->splice });
	w.selector = selector_new(&(struct selector_config){
		.start = &start,
		.spec = &spec,
		.memory = w.memory,
		.now_ns = w.now_ns,
		.splice = w.splice,
		.remuxed = remuxed,
		.on_switch = note_switch,
	});
	for (int i = 0; i < 2; i++) {
		w.sources[i] = source_new(90000);
		w.sources[i]->gop = GOP_PICTURES;
	}
}

static void teardown(void)
{
	selector_free(&w.selector);
	splice_free(&w.splice);
	stream_memory_close(&w.memory);
	for (int i = 0; i < 2; i++)
		free(w.sources[i]);
}

/* The packets of a source in a tick; without `sends` they are lost. */
static void arrive(int i, bool sends)
{
	struct ts_run run = source_make(w.sources[i], PER_TICK);
	struct input_chain *c = &w.selector->chains[i];

	w.reading = c;
	if (!sends || !c->wanted)
		return;
	chain_watch(c, &run, 1, w.now_ns);
	remux_feed(c->remux, &run, 1, w.now_ns);
}

/* Time passes while the inputs send, or not. */
static void pass(unsigned ms, bool first, bool second)
{
	static struct msg_stream_status status;

	for (unsigned t = 0; t < ms; t += TICK_MS) {
		struct input_chain *due[SELECTOR_DUE_MAX];

		w.now_ns += TICK_MS * MS;
		(void)selector_due(w.selector, w.now_ns, due);
		arrive(0, first);
		arrive(1, second);
		splice_turn(w.splice, w.now_ns);
		selector_turn(w.selector);
		if (++w.ticks % SECOND_TICKS == 0)
			selector_second(w.selector, w.now_ns, &status);
	}
}

static const struct selector_switch *last_switch(unsigned to)
{
	const struct selector_switch *sw = &w.switches[w.n_switches - 1];

	cr_assert_gt(w.n_switches, 0U);
	cr_assert_eq(sw->to, to, "to input %u", sw->to);
	return sw;
}

TestSuite(reentry, .init = setup, .fini = teardown);

/* The backup showed random access points while it was watched and on air.  It
 * is needed again before the next one. */
Test(reentry, a_backup_that_was_on_air_is_not_entered_blindly)
{
	source_skip(w.sources[1], 6 * SOURCE_RATE);
	pass(17000, true, true);
	pass(3000, false, true);
	(void)last_switch(2);
	while (w.n_switches == 1)
		pass(TICK_MS, true, true);
	(void)last_switch(1);
	pass(1000, true, true);
	pass(3000, false, true);
	cr_expect(last_switch(2)->late);
	cr_expect_not(last_switch(2)->blind);
	cr_expect_eq(w.n_switches, 3U);
}

/* The first input was never watched, because it was on air since the start. */
Test(reentry, a_first_input_that_was_on_air_is_not_entered_blindly)
{
	pass(25000, true, true);
	pass(3000, false, true);
	(void)last_switch(2);
	pass(3000, true, true);
	/* its next random access point is at 36 s */
	pass(3000, true, false);
	cr_expect(last_switch(1)->late);
	cr_expect_not(last_switch(1)->blind);
}

/* It may have none. */
Test(reentry, an_input_without_random_access_points_is_entered_blindly)
{
	w.sources[1]->gop = 1000000;
	source_skip(w.sources[1], SOURCE_RATE);
	for (int i = 0; i < 2; i++) {
		pass(17000, true, true);
		pass(3000, false, true);
		cr_expect(last_switch(2)->blind);
		while (w.switches[w.n_switches - 1].to == 2)
			pass(TICK_MS, true, true);
	}
}
