/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inputs that flap at any period, in virtual time: their chains and the policy,
 * with the delays that apply by default.  An input is entered at once, because
 * any packet may be the first.
 */
#include "worker/stream/input_chain.h"

#include "common/base/log.h"
#include "common/base/units.h"
#include "tests/unit/rounds.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_MS = 10,
	STANDBY_TICKS = 4,
	DATAGRAM = 5, /* packets; 750 kbit/s */
	TABLES_MS = 100,
	VIDEO = 0x101,
	START_MS = 5000,
	WHOLE_MS = 12000, /* before the first hole */
	RUN_MS = 62000,
	RETURN_MS = 10000,
	/* An input is left when it was silent for 200 ms, at a tick. */
	LEFT_MS = 220,
	/* Until an input is read that has packets again. */
	RECOVERED_MS = STANDBY_TICKS * TICK_MS,
};

/* Holes of hole_ms, every period_ms from begin_ms on; 0: none. */
struct flaps {
	unsigned period_ms, hole_ms, begin_ms;
	bool lossless; /* the packets of a hole arrive at its end */
	bool single; /* each hole is one packet, and the source never pauses */
};

struct source {
	struct input_chain chain;
	struct flaps flaps;
	struct build *waiting; /* packets that are not read yet */
	uint64_t lost_ms;      /* time of the last lost packet; 0: none */
};

struct world {
	struct source sources[2];
	struct failover *failover;
	const struct failover_decision *decision;
	uint64_t now_ms;
	int playing;
	uint64_t hole_ms; /* lost in a row, although the other is whole */
	uint64_t left_ms; /* time when input 0 was left first; 0: not yet */
	uint64_t lost;    /* datagrams that the other one had */
	unsigned returns;
};

static struct table_versions versions;

static void ignore(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

static uint64_t now_ns(const struct world *w)
{
	return w->now_ms * MS;
}

static bool in_hole(const struct source *s, uint64_t now_ms)
{
	const struct flaps *f = &s->flaps;

	return f->period_ms > 0 && !f->single && now_ms >= f->begin_ms &&
	       (now_ms - f->begin_ms) % f->period_ms < f->hole_ms;
}

/* The counters go on in a hole: its packets are lost. */
static void arrive(struct source *s, uint64_t now_ms)
{
	size_t before = s->waiting->n;

	if (now_ms % TABLES_MS == 0)
		build_tables(s->waiting);
	for (int i = 0; i < DATAGRAM; i++)
		build_payload(s->waiting, VIDEO, 0xff);
	if (s->flaps.single && now_ms >= s->flaps.begin_ms &&
	    (now_ms - s->flaps.begin_ms) % s->flaps.period_ms == 0)
		before = s->waiting->n - 1;
	else if (!in_hole(s, now_ms) || s->flaps.lossless)
		return;
	s->waiting->n = before;
	s->lost_ms = now_ms;
}

static void read_waiting(struct world *w, struct source *s)
{
	struct ts_run run = build_run(s->waiting);

	if (s->flaps.lossless && in_hole(s, w->now_ms))
		run.n = 0;
	else
		s->waiting->n = 0;
	if (!s->chain.wanted)
		return;
	if (run.n == 0)
		s->chain.empty_ns = now_ns(w);
	else
		chain_watch(&s->chain, &run, 1, now_ns(w));
}

static void decide(struct world *w)
{
	w->decision = failover_decide(w->failover, w->playing, now_ns(w));
	for (size_t i = 0; i < 2; i++)
		chain_want(&w->sources[i].chain, w->decision->wanted[i],
			   now_ns(w));
}

static void enter(struct world *w)
{
	int to = (int)w->decision->input;
	const struct source *s = &w->sources[to];

	if (to == w->playing || !w->decision->enter ||
	    in_hole(s, w->now_ms))
		return;
	if (w->playing == 0 && w->left_ms == 0)
		w->left_ms = w->now_ms;
	if (w->decision->reason == FAILOVER_RETURN) {
		w->returns++;
		cr_assert(s->lost_ms == 0 ||
				  w->now_ms - s->lost_ms >= RETURN_MS,
			  "returns %lu ms after a loss",
			  (unsigned long)(w->now_ms - s->lost_ms));
	}
	for (int i = 0; i < 2; i++)
		w->sources[i].chain.candidate.state =
			i == to ? CANDIDATE_ON_AIR : CANDIDATE_STANDBY;
	w->playing = to;
	decide(w);
}

static void check_output(struct world *w)
{
	const struct source *here = &w->sources[w->playing];
	const struct source *other = &w->sources[!w->playing];
	uint64_t whole_ms = w->now_ms - other->lost_ms;

	if (!in_hole(here, w->now_ms) || here->flaps.lossless ||
	    (other->lost_ms > 0 && whole_ms < RECOVERED_MS)) {
		w->hole_ms = 0;
		return;
	}
	w->hole_ms += TICK_MS;
	w->lost++;
	cr_assert_leq(w->hole_ms, LEFT_MS, "%lu ms of packets are missing",
		      (unsigned long)w->hole_ms);
}

static void step(struct world *w)
{
	bool changed = false;

	w->now_ms += TICK_MS;
	for (int i = 0; i < 2; i++) {
		struct source *s = &w->sources[i];
		struct failover_sight sight;

		arrive(s, w->now_ms);
		if (i == w->playing || i == (int)w->decision->input ||
		    w->now_ms / TICK_MS % STANDBY_TICKS == 0)
			read_waiting(w, s);
		if (w->now_ms % 1000 == 0)
			chain_second(&s->chain, now_ns(w));
		if (!s->chain.wanted ||
		    !chain_look(&s->chain, now_ns(w), &sight))
			continue;
		failover_see(w->failover, (size_t)i, &sight, now_ns(w));
		changed = true;
	}
	if (changed || now_ns(w) >= w->decision->next_ns ||
	    w->now_ms % 1000 == 0)
		decide(w);
	enter(w);
	check_output(w);
}

static void world_init(struct world *w, struct flaps first,
		       struct flaps second, bool damping)
{
	struct failover_config cfg = {
		.mode = FAILOVER_ACTIVE,
		.start_ms = START_MS,
		.return_ms = RETURN_MS,
		.damping_ms = damping ? 60000 : 0,
		.n_inputs = 2,
	};
	struct stream_spec spec;

	log_open(NULL, NULL, LOG_LEVEL_ERROR);
	stream_spec_init(&spec);
	*w = (struct world){ .now_ms = 100000, .playing = 0 };
	for (int i = 0; i < 2; i++) {
		struct source *s = &w->sources[i];

		s->flaps = i == 0 ? first : second;
		s->flaps.begin_ms += (unsigned)w->now_ms + WHOLE_MS;
		s->waiting = build_new();
		chain_init(&s->chain, &(struct chain_config){
					      .position = (unsigned)i + 1,
					      .address = "udp://127.0.0.1:9",
					      .stream = &spec,
					      .versions = &versions,
					      .alone = true,
					      .remuxed = ignore,
				      });
		/* it has no remux, but another input beside it */
		s->chain.alone = false;
		cfg.inputs[i] = chain_policy(&s->chain);
	}
	w->sources[0].chain.candidate.state = CANDIDATE_ON_AIR;
	w->failover = failover_new(&cfg, now_ns(w));
	decide(w);
}

static void world_done(struct world *w)
{
	for (int i = 0; i < 2; i++) {
		chain_done(&w->sources[i].chain);
		build_free(w->sources[i].waiting);
	}
	failover_free(&w->failover);
}

static const unsigned periods_ms[] = { 100,  140,  200,	 250,  300,  400,
				       500,  700,  1000, 1500, 2000, 3000,
				       5000, 8000, 12000, 20000, 30000 };
static const unsigned duties[] = { 10, 30, 50, 70, 90 }; /* %, with packets */

typedef void sweep_fn(struct flaps);

static void sweep(unsigned phase_ms, sweep_fn *play)
{
	const size_t n = ARRAY_LEN(duties);

	for (size_t i = 0; i < ARRAY_LEN(periods_ms) * n;
	     i += ROUNDS_DIVISOR) {
		unsigned period_ms = periods_ms[i / n];
		struct flaps f = {
			.period_ms = period_ms,
			.hole_ms = period_ms - period_ms * duties[i % n] / 100,
			.begin_ms = phase_ms,
		};

		play(f);
	}
}

/* The second input is whole. */
static void play_one(struct flaps f)
{
	struct world w;

	world_init(&w, f, (struct flaps){ 0 }, true);
	while (w.now_ms < 100000 + RUN_MS)
		step(&w);
	cr_assert(w.left_ms > 0 && w.left_ms - w.sources[0].flaps.begin_ms <=
					   1000,
		  "%u of %u ms: left after %ld ms", f.hole_ms, f.period_ms,
		  (long)(w.left_ms - w.sources[0].flaps.begin_ms));
	/* one that is whole for the return delay in each period, before it is
	 * damped */
	cr_assert_leq(w.returns,
		      f.period_ms - f.hole_ms < RETURN_MS ? 0U : 3U);
	world_done(&w);
}

/* The second input flaps as well, in turns with the first one. */
static void play_both(struct flaps f)
{
	struct flaps other = f;
	struct world w;

	other.begin_ms += f.period_ms / 2;
	world_init(&w, f, other, true);
	while (w.now_ms < 100000 + RUN_MS)
		step(&w);
	world_done(&w);
}

/* The second input flaps at a period of its own. */
static void play_mixed(struct flaps f)
{
	static const struct flaps others[] = {
		{ .period_ms = 7000, .hole_ms = 1000, .begin_ms = 500 },
		{ .period_ms = 23000, .hole_ms = 9000 },
	};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct world w;

		world_init(&w, f, others[i], i == 0);
		while (w.now_ms < 100000 + RUN_MS)
			step(&w);
		world_done(&w);
	}
}

Test(flapping, is_left_in_a_second_and_must_be_whole_0)
{
	sweep(0, play_one);
}

Test(flapping, is_left_in_a_second_and_must_be_whole_370)
{
	sweep(370, play_one);
}

Test(flapping, is_left_in_a_second_and_must_be_whole_950)
{
	sweep(950, play_one);
}

Test(flapping, a_whole_input_is_sent_while_both_flap_0)
{
	sweep(0, play_both);
}

Test(flapping, a_whole_input_is_sent_while_both_flap_610)
{
	sweep(610, play_both);
}

Test(flapping, a_whole_input_is_sent_while_both_flap_differently)
{
	sweep(130, play_mixed);
}

/* A source that sends bursts, as of segments, is not left. */
Test(flapping, pauses_without_a_loss_are_no_failure)
{
	for (unsigned pause_ms = 50; pause_ms <= 900; pause_ms += 85)
		for (unsigned on_ms = 10; on_ms <= 900; on_ms += 110) {
			const struct flaps f = {
				.period_ms = pause_ms + on_ms,
				.hole_ms = pause_ms,
				.lossless = true,
			};
			struct world w;

			/* too long for a source that was steady before */
			if (pause_ms > 600 && on_ms > 100)
				continue;
			world_init(&w, f, (struct flaps){ 0 }, true);
			w.sources[0].flaps.begin_ms = (unsigned)w.now_ms;
			while (w.now_ms < 100000 + RUN_MS / 2)
				step(&w);
			cr_assert_eq(w.left_ms, 0, "%u of %u ms", f.hole_ms,
				     f.period_ms);
			world_done(&w);
		}
}

/* Packets that are lost one by one: when is the first input left? */
Test(flapping, single_losses_that_go_on_are_left_for_an_input_without_any)
{
	static const struct {
		unsigned first_ms, second_ms; /* from loss to loss; 0: none */
		unsigned left_ms; /* 0: not at all */
	} cases[] = {
		{ 200, 0, 4500 }, { 300, 0, 6500 }, { 600, 0, 0 },
		{ 200, 3000, 0 }, { 200, 300, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct flaps first = { .period_ms = cases[i].first_ms,
				       .single = true };
		struct flaps second = { .period_ms = cases[i].second_ms,
					.single = cases[i].second_ms > 0 };
		struct world w;
		long after_ms;

		world_init(&w, first, second, true);
		while (w.now_ms < 100000 + RUN_MS)
			step(&w);
		after_ms = w.left_ms > 0 ? (long)(w.left_ms - w.sources[0]
							.flaps.begin_ms) : 0;
		cr_expect(cases[i].left_ms == 0
				  ? after_ms == 0
				  : after_ms > 0 &&
					    after_ms <= (long)cases[i].left_ms,
			  "case %zu: left after %ld ms", i, after_ms);
		cr_expect_eq(w.returns, 0U);
		world_done(&w);
	}
}
