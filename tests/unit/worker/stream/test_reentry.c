/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In virtual time, what a switch knows about an input that was on air before:
 * two inputs with long groups of pictures, two that flap, one with a filler.
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
	SHORT_GOP_MS = 480,
	ROUNDS = SHORT_GOP_MS / TICK_MS,
	SOUND_MS = 100,
};

struct world {
	struct stream_memory *memory;
	struct splice *splice;
	struct selector *selector;
	struct source *sources[2];
	struct filler *filler; /* NULL: none */
	struct input_chain *reading;
	uint64_t now_ns;
	uint64_t ticks;
	/* packets of the inputs: sent, and from the first random access point
	 * behind the last pause on */
	uint64_t sent, due;
	bool shown; /* that point arrived */
	bool flaps; /* the inputs are entered again and again */
	/* times of the first packets since the last switch; 0: none */
	uint64_t picture_ns, sound_ns;
	struct selector_switch switches[SWITCHES_MAX];
	size_t n_switches;
};

static struct world w;

static void out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			uint16_t pid = ts_pid(runs[i].data + k * TS_PACKET);

			if (pid == SOURCE_VIDEO && w.picture_ns == 0)
				w.picture_ns = w.now_ns;
			if (pid == SOURCE_AUDIO && w.sound_ns == 0)
				w.sound_ns = w.now_ns;
		}
	if (w.filler != NULL && selector_still(w.selector) == NULL)
		filler_feed(w.filler, runs, n_runs);
}

/* The sound of the input that is left began with its pictures. */
static void check_sound(void)
{
	uint64_t now_ms = w.now_ns / MS;

	cr_expect(w.sound_ns != 0 &&
			  w.sound_ns <= w.picture_ns + SOUND_MS * MS,
		  "left at %lu ms: pictures since %lu, sound since %lu",
		  (unsigned long)now_ms,
		  (unsigned long)(w.picture_ns / MS),
		  (unsigned long)(w.sound_ns / MS));
	w.picture_ns = w.sound_ns = 0;
	w.n_switches++;
}

static void note_switch(const struct selector_switch *sw, void *arg)
{
	(void)arg;
	/* an input with a filler may fail often */
	if (w.filler != NULL)
		return;
	if (w.flaps) {
		check_sound();
		return;
	}
	cr_assert_lt(w.n_switches, (size_t)SWITCHES_MAX);
	w.switches[w.n_switches++] = *sw;
}

/* As the pipeline does.  Returns the packets that are sent. */
static size_t spliced_from(struct candidate *c, const struct ts_run *runs,
			   size_t n_runs)
{
	struct selector_part part = { .runs = runs, .n_runs = n_runs };
	size_t n = 0;

	switch (selector_route(w.selector, c, &part)) {
	case SELECTOR_ON_AIR:
		if (part.held)
			splice_feed_held(w.splice, part.runs[0], w.now_ns);
		splice_feed(w.splice, part.runs + part.held,
			    part.n_runs - part.held, w.now_ns);
		for (size_t i = 0; i < part.n_runs; i++)
			n += part.runs[i].n;
		break;
	case SELECTOR_ENDING:
		splice_drain(w.splice, part.runs, part.n_runs, w.now_ns);
		break;
	case SELECTOR_NOT_SENT:
		break;
	}
	return n;
}

static void remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct input_chain *c = w.reading;

	(void)arg;
	for (size_t i = 0; c->analyze != NULL && i < n_runs; i++)
		analyze_feed(c->analyze, runs[i]);
	w.sent += spliced_from(&c->candidate, runs, n_runs);
}

static void filled(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	(void)spliced_from(selector_still(w.selector), runs, n_runs);
}

static void start(unsigned n_inputs, const struct stream_spec *spec)
{
	const struct msg_stream_start message = {
		.n_inputs = n_inputs,
		.inputs = { "udp://127.0.0.1:9001", "udp://127.0.0.1:9002" },
		.first = 1,
	};
	int err;

	log_open(NULL, NULL, LOG_LEVEL_ERROR);
	w = (struct world){ .now_ns = 1000 * SECOND_NS };
	w.memory = stream_memory_open(-1, w.now_ns, &err);
	w.splice = splice_new(&(struct splice_config){
		.out = out, .continuity = &w.memory->splice });
	if (spec->filler == FILLER_STILL)
		w.filler = filler_new(splice_psi(w.splice));
	w.selector = selector_new(&(struct selector_config){
		.start = &message,
		.spec = spec,
		.memory = w.memory,
		.now_ns = w.now_ns,
		.splice = w.splice,
		.filler = w.filler,
		.remuxed = remuxed,
		.on_switch = note_switch,
	});
	for (int i = 0; i < 2; i++) {
		w.sources[i] = source_new(90000);
		w.sources[i]->gop = GOP_PICTURES;
	}
}

static void setup(void)
{
	struct stream_spec spec;

	stream_spec_init(&spec);
	start(2, &spec);
}

static void teardown(void)
{
	selector_free(&w.selector);
	filler_free(&w.filler);
	splice_free(&w.splice);
	stream_memory_close(&w.memory);
	for (int i = 0; i < 2; i++)
		free(w.sources[i]);
}

/* Can decoding begin at this packet? */
static bool begins_picture(const uint8_t *p)
{
	return ts_pid(p) == SOURCE_VIDEO && ts_pusi(p) && (p[3] & 0x20) != 0 &&
	       p[4] > 0 && (p[5] & 0x40) != 0;
}

/* The packets of a source in a tick; without `sends` they are lost. */
static void arrive(int i, bool sends)
{
	struct ts_run run = source_make(w.sources[i], PER_TICK);
	struct input_chain *c = &w.selector->chains[i];

	w.reading = c;
	if (!sends || !c->wanted)
		return;
	for (size_t k = 0; k < run.n; k++) {
		w.shown |= begins_picture(run.data + k * TS_PACKET);
		w.due += w.shown;
	}
	chain_watch(c, &run, 1, w.now_ns);
	if (c->remux != NULL)
		remux_feed(c->remux, &run, 1, w.now_ns);
	else
		remuxed(&run, 1, NULL);
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
		if (w.selector->n > 1)
			arrive(1, second);
		if (w.filler != NULL && selector_still(w.selector) != NULL)
			filler_run(w.filler, w.now_ns, filled, NULL);
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

/* Its next random access point is a second away. */
Test(reentry, a_known_backup_is_heard_half_a_second_after_the_last_packet)
{
	source_skip(w.sources[1], 6 * SOURCE_RATE);
	pass(17000, true, true);
	w.sound_ns = 0;
	pass(500, false, true);
	cr_expect(last_switch(2)->late);
	cr_expect_neq(w.sound_ns, 0U);
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

/* Each input loses all packets for 0.3 s of each second, and they do it in
 * turns: the sound that follows a loss is not as long as the loss. */
Test(reentry, sound_begins_with_the_pictures_also_after_losses)
{
	for (int i = 0; i < 2; i++)
		w.sources[i]->gop = SHORT_GOP_MS / 40;
	pass(8000, true, true);
	w.flaps = true;
	for (unsigned ms = 0; ms < 32000; ms += TICK_MS)
		pass(TICK_MS, ms % 1000 >= 300, (ms + 500) % 1000 >= 300);
	cr_expect_gt(w.n_switches, 40U);
}

static void setup_filler(void)
{
	struct stream_spec spec;

	stream_spec_init(&spec);
	spec.filler = FILLER_STILL;
	spec.backup_start_delay_s = 0;
	start(1, &spec);
	w.sources[0]->gop = SHORT_GOP_MS / 40;
	pass(3000, true, false);
	cr_assert(filler_is_ready(w.filler));
}

TestSuite(filler_return, .init = setup_filler, .fini = teardown);

/* With the first packet of its picture at each tick behind the pause. */
Test(filler_return, an_input_is_sent_from_its_first_picture_on)
{
	for (int i = 0; i < ROUNDS; i++) {
		pass(610, false, false);
		cr_assert_eq(w.selector->on_air, &w.selector->still);
		w.shown = false;
		w.sent = w.due = 0;
		pass(900, true, false);
		cr_assert_gt(w.due, 0);
		cr_expect_eq(w.sent, w.due, "round %d: %lu of %lu packets", i,
			     (unsigned long)w.sent, (unsigned long)w.due);
	}
}

/* Pauses that are shorter than the time of a verdict. */
Test(filler_return, an_input_that_flaps_is_sent_between_its_pauses)
{
	for (int i = 0; i < ROUNDS; i++) {
		pass(330, false, false);
		w.shown = false;
		w.sent = w.due = 0;
		pass(700, true, false);
		cr_expect_eq(w.sent, w.due, "round %d: %lu of %lu packets", i,
			     (unsigned long)w.sent, (unsigned long)w.due);
	}
}
