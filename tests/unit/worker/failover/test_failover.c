/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The active input over time: every transition, second by second (sim.h). */
#include "tests/unit/worker/failover/sim.h"
#include "worker/failover/damper.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

struct scene {
	enum failover_mode mode;
	const char *words[4];
	const char *played;
	/* differences from sim_config() */
	bool filler, no_return;
	uint32_t damping_ms;
	size_t first;
	const char *cold; /* 'c' at the place of each input that is */
	const char *invalid;
};

static void play(const struct scene *scene)
{
	struct failover_config cfg = sim_config(scene->mode, 0);
	struct sim s;
	size_t n = 0;

	while (n < 4 && scene->words[n] != NULL)
		n++;
	cfg = sim_config(scene->mode, n);
	cfg.filler = scene->filler;
	cfg.no_return = scene->no_return;
	cfg.damping_ms = scene->damping_ms;
	cfg.first = scene->first;
	for (size_t i = 0; i < n; i++) {
		cfg.inputs[i].cold = scene->cold && scene->cold[i] == 'c';
		cfg.inputs[i].valid = !scene->invalid ||
				      scene->invalid[i] != 'x';
	}
	sim_init(&s, &cfg);
	memcpy(s.words, scene->words, n * sizeof s.words[0]);
	sim_run(&s, (unsigned)strlen(scene->played));
	cr_assert_str_eq(s.played, scene->played);
	sim_done(&s);
}

#define SCENE(name, ...) \
	Test(failover, name) \
	{ \
		play(&(struct scene){ __VA_ARGS__ }); \
	}

/* --- active --- */

SCENE(stays_with_an_input_that_is_on_air,
      .words = { "G", "G" },
      .played = "0000000000")

SCENE(leaves_after_the_start_delay,
      .words = { "GGGD", "G" },
      .played = "0000111111")

SCENE(forgives_a_fault_shorter_than_the_start_delay,
      .words = { "GGGDGGGPGG", "G" },
      .played = "0000000000")

/* The start delay cannot hide an input that flaps. */
SCENE(leaves_a_damped_input_at_once,
      .words = { "GGGDGGGDGGGDGGGGGG", "G" },
      .played = "000000000001111111", .damping_ms = 60000)

SCENE(leaves_a_damped_input_at_once_in_passive_mode,
      .mode = FAILOVER_PASSIVE,
      .words = { "GGGDGGGDGGGDGGGGGG", "G" },
      .played = "000000000001111111", .damping_ms = 60000)

SCENE(leaves_one_that_brings_faults_as_one_that_brings_nothing,
      .words = { "GGGP", "G" },
      .played = "0000111111")

SCENE(gives_the_first_its_initial_delay,
      .words = { "D", "G" },
      .played = "0011111")

SCENE(gives_one_that_cannot_be_opened_the_start_delay_only,
      .words = { "B", "G" },
      .played = "0111111")

SCENE(goes_back_after_the_return_delay,
      .words = { "GGDDDGGGGGGG", "G" },
      .played = "000111110000")

SCENE(waits_for_a_steady_return,
      .words = { "GGDDDGGDGGGGGGG", "G" },
      .played = "000111111110000")

SCENE(does_not_go_back_where_it_is_told_so,
      .words = { "GGDDDG", "GGGGGGGGGGGGD" },
      .played = "0001111111111000", .no_return = true)

SCENE(goes_on_to_the_third_when_two_are_dead,
      .words = { "GGGD", "D", "G" },
      .played = "0000222222")

SCENE(passes_over_an_address_without_a_meaning,
      .words = { "GGGD", "G", "G" },
      .played = "0000222222", .invalid = "-x-")

SCENE(takes_the_best_that_is_back_not_the_next,
      .words = { "GGDDDDDDG", "GGGGDDDDG", "G" },
      .played = "0001122222200000")

SCENE(begins_with_the_one_that_ran_before,
      .words = { "D", "G" },
      .played = "1111111111", .first = 1)

SCENE(returns_from_the_one_that_ran_before,
      .words = { "G", "G" },
      .played = "1111000", .first = 1)

SCENE(keeps_the_last_when_all_are_down,
      .words = { "GGD", "GGGGD" },
      .played = "0001111111")

SCENE(prefers_something_to_nothing_when_all_are_down,
      .words = { "GGGD", "P" },
      .played = "0000111111")

SCENE(does_not_leave_something_for_something,
      .words = { "GGGP", "P" },
      .played = "0000000000")

SCENE(takes_whoever_is_first_back_after_all_were_down,
      .words = { "GGD", "GDDDDDDDDG" },
      .played = "0000000001111")

SCENE(sends_the_filler_while_all_are_down,
      .words = { "GGD", "GGGGDDDDG" },
      .played = "00011FFF11111", .filler = true)

SCENE(sends_the_filler_instead_of_faults,
      .words = { "GGP", "GGGGPPPPG" },
      .played = "00011FFF1111", .filler = true)

SCENE(fills_for_a_single_input,
      .words = { "GGDDDDGG" },
      .played = "000FFF00", .filler = true)

/* Two inputs on air of which the first plays, in a path that waits for a
 * picture of the second to begin with. */
struct waiting {
	struct failover *f;
	uint64_t now;
};

static void wait_begin(struct waiting *w, uint32_t damping_ms)
{
	struct failover_config cfg = sim_config(FAILOVER_ACTIVE, 2);
	struct failover_sight good = { .level = FAILOVER_GOOD };

	cfg.start_ms = 0;
	cfg.damping_ms = damping_ms;
	w->now = SIM_START_MS * SIM_MS;
	w->f = failover_new(&cfg, w->now);
	(void)failover_decide(w->f, 0, w->now);
	failover_see(w->f, 0, &good, w->now);
	failover_see(w->f, 1, &good, w->now);
	(void)failover_decide(w->f, 0, w->now);
}

/* So much later the first is seen so; the choice. */
static const struct failover_decision *wait_see(struct waiting *w,
						unsigned after_ms,
						enum failover_level level)
{
	w->now += after_ms * SIM_MS;
	failover_see(w->f, 0, &(struct failover_sight){ .level = level },
		     w->now);
	return failover_decide(w->f, 0, w->now);
}

Test(failover, stays_with_an_input_that_recovers_before_the_switch)
{
	const struct failover_decision *d;
	struct waiting w;

	wait_begin(&w, 0);
	cr_assert_eq(wait_see(&w, 500, FAILOVER_DEAD)->input, 1);
	d = wait_see(&w, 500, FAILOVER_GOOD);
	cr_assert_eq(d->input, 0);
	cr_assert_eq(d->reason, FAILOVER_RECOVERED);
	/* and the next time, after it was on air for the return delay */
	cr_assert_eq(wait_see(&w, 2900, FAILOVER_DEAD)->input, 1);
	cr_assert_eq(wait_see(&w, 100, FAILOVER_GOOD)->input, 0);
	failover_free(&w.f);
}

Test(failover, leaves_an_input_that_flaps_before_the_next_is_entered)
{
	struct waiting w;

	wait_begin(&w, 0);
	cr_assert_eq(wait_see(&w, 500, FAILOVER_DEAD)->input, 1);
	cr_assert_eq(wait_see(&w, 500, FAILOVER_GOOD)->input, 0);
	cr_assert_eq(wait_see(&w, 500, FAILOVER_DEAD)->input, 1);
	cr_assert_eq(wait_see(&w, 500, FAILOVER_GOOD)->input, 1);
	failover_free(&w.f);
}

Test(failover, leaves_a_damped_input_although_it_recovered)
{
	struct waiting w;

	wait_begin(&w, 600000);
	for (unsigned i = 0; i < 2; i++) {
		cr_assert_eq(wait_see(&w, 4000, FAILOVER_DEAD)->input, 1);
		cr_assert_eq(wait_see(&w, 100, FAILOVER_GOOD)->input, 0);
	}
	cr_assert_eq(wait_see(&w, 4000, FAILOVER_DEAD)->input, 1);
	cr_assert_eq(wait_see(&w, 100, FAILOVER_GOOD)->input, 1);
	failover_free(&w.f);
}

/* The status of an input that failed five times. */
static uint64_t damped_ns(enum failover_mode mode, size_t n_inputs,
			  bool second_is_valid)
{
	struct failover_config cfg = sim_config(mode, n_inputs);
	struct waiting w = { .now = SIM_START_MS * SIM_MS };
	uint64_t left_ns;

	cfg.damping_ms = 600000;
	cfg.inputs[1].valid = second_is_valid;
	w.f = failover_new(&cfg, w.now);
	(void)failover_decide(w.f, 0, w.now);
	for (unsigned i = 0; i < 5; i++) {
		(void)wait_see(&w, 100, FAILOVER_GOOD);
		(void)wait_see(&w, 100, FAILOVER_DEAD);
	}
	cr_assert_gt(failover_penalty(w.f, 0, w.now), DAMPER_SUPPRESS);
	left_ns = failover_damped_ns(w.f, 0, w.now);
	failover_free(&w.f);
	return left_ns;
}

Test(failover, an_input_is_damped_only_against_another_one)
{
	cr_expect_gt(damped_ns(FAILOVER_ACTIVE, 2, true), 0);
	cr_expect_gt(damped_ns(FAILOVER_PASSIVE, 2, true), 0);
	cr_expect_eq(damped_ns(FAILOVER_ACTIVE, 1, false), 0);
	cr_expect_eq(damped_ns(FAILOVER_ACTIVE, 2, false), 0,
		     "the address of the second is wrong");
	cr_expect_eq(damped_ns(FAILOVER_DISABLE, 2, true), 0,
		     "an operator chooses");
}

/* So much later the second is seen so. */
static void wait_other(struct waiting *w, unsigned after_ms,
		       struct failover_sight sight)
{
	w->now += after_ms * SIM_MS;
	failover_see(w->f, 1, &sight, w->now);
	(void)failover_decide(w->f, 0, w->now);
}

/* Nothing is sent meanwhile: any input on air is better. */
Test(failover, replaces_a_dead_input_at_once)
{
	static const struct failover_sight good = { .level = FAILOVER_GOOD };
	static const struct failover_sight dead = { .level = FAILOVER_DEAD };
	struct waiting w;

	/* a damped one */
	wait_begin(&w, 600000);
	for (unsigned i = 0; i < 5; i++) {
		wait_other(&w, 100, dead);
		wait_other(&w, 100, good);
	}
	cr_assert_gt(failover_damped_ns(w.f, 1, w.now), 0);
	cr_assert_eq(wait_see(&w, 100, FAILOVER_DEAD)->input, 1);
	failover_free(&w.f);
	/* one that was on air, has packets again and is not judged */
	wait_begin(&w, 600000);
	wait_other(&w, 100, dead);
	cr_assert_eq(wait_see(&w, 100, FAILOVER_DEAD)->input, 0);
	wait_other(&w, 100, (struct failover_sight){ .level = FAILOVER_POOR,
						     .fresh = true });
	cr_assert_eq(wait_see(&w, 0, FAILOVER_DEAD)->input, 1);
	/* this one ends, too, before it was judged */
	wait_other(&w, 100, dead);
	cr_assert_eq(wait_see(&w, 0, FAILOVER_GOOD)->input, 0);
	failover_free(&w.f);
	/* one that had a hole */
	wait_begin(&w, 0);
	wait_other(&w, 100, (struct failover_sight){ .level = FAILOVER_GOOD,
						     .hole = true });
	cr_assert_eq(wait_see(&w, 100, FAILOVER_DEAD)->input, 1);
	failover_free(&w.f);
	/* an input with packets has the time of the rules */
	wait_begin(&w, 0);
	wait_other(&w, 100, (struct failover_sight){ .level = FAILOVER_GOOD,
						     .hole = true });
	cr_assert_eq(wait_see(&w, 100, FAILOVER_GOOD)->input, 0);
	failover_free(&w.f);
}

/* --- files: tried when they are needed --- */

SCENE(tries_a_file_when_nothing_else_is_there,
      .words = { "GGGD", "D", "G" },
      .played = "0000222222", .cold = "--c")

SCENE(prefers_a_file_that_stands_first,
      .words = { "GGGD", "G", "G" },
      .played = "0000111111", .cold = "-c-")

SCENE(leaves_a_file_that_is_through_at_once,
      .words = { "E", "G" },
      .played = "11111", .cold = "c-")

SCENE(waits_for_a_file_that_cannot_be_opened_yet,
      .words = { "GGD", "BBBBBBBBG" },
      .played = "000000001111111", .cold = "-c")

SCENE(stays_while_a_better_file_cannot_be_opened,
      .words = { "B", "G" },
      .played = "111111111111111111111111111111", .cold = "c-", .first = 1)

/* --- stop --- */

SCENE(stops_while_all_are_down,
      .mode = FAILOVER_STOP,
      .words = { "GGD", "GGGGDDDDG" },
      .played = "00011...11111")

SCENE(stops_for_faults_too,
      .mode = FAILOVER_STOP,
      .words = { "GGGP" },
      .played = "0000......")

SCENE(stops_with_the_filler_at_hand,
      .mode = FAILOVER_STOP,
      .words = { "GGGDDDGG" },
      .played = "0000..00", .filler = true)

/* --- passive --- */

SCENE(passive_does_not_go_back,
      .mode = FAILOVER_PASSIVE,
      .words = { "GGDDG", "G" },
      .played = "0001111111")

SCENE(passive_goes_round,
      .mode = FAILOVER_PASSIVE,
      .words = { "GGDDDDG", "GGGGGD", "GGGGGGGGGD" },
      .played = "00011122220000")

SCENE(passive_tries_one_after_the_other,
      .mode = FAILOVER_PASSIVE,
      .words = { "GGGD", "D", "G" },
      .played = "0000002222")

SCENE(passive_stays_when_the_old_one_comes_back_first,
      .mode = FAILOVER_PASSIVE,
      .words = { "GGDDG", "D" },
      .played = "0000000000")

SCENE(passive_fills_while_it_looks,
      .mode = FAILOVER_PASSIVE,
      .words = { "GGGD", "D", "G" },
      .played = "0000FF2222", .filler = true)

/* The check takes longer than the input has. */
Test(failover, judges_an_input_with_packets_first)
{
	struct failover_config cfg = sim_config(FAILOVER_PASSIVE, 2);
	struct sim s;

	cfg.inputs[1].initial_ms = 0;
	sim_init(&s, &cfg);
	s.words[0] = "GGD";
	sim_run(&s, 10);
	cr_assert_str_eq(s.played, "0001111111");
	sim_done(&s);
}

/* --- disable --- */

SCENE(disabled_does_nothing,
      .mode = FAILOVER_DISABLE,
      .words = { "GGD", "G" },
      .played = "0000000000")

SCENE(disabled_fills,
      .mode = FAILOVER_DISABLE,
      .words = { "GGDDDG", "G" },
      .played = "000FF00000", .filler = true)

/* --- by hand --- */

static void by_hand(enum failover_mode mode, const char *old,
		    const char *next, const char *played)
{
	struct failover_config cfg = sim_config(mode, 2);
	struct sim s;

	sim_init(&s, &cfg);
	s.words[0] = old;
	s.words[1] = next;
	sim_run(&s, 3);
	cr_assert_eq(failover_choose(s.failover, 1,
				     (SIM_START_MS + s.now_ms) * SIM_MS), 0);
	sim_run(&s, (unsigned)strlen(played) - 3);
	cr_assert_str_eq(s.played, played);
	cr_assert_eq(s.reasons[0], FAILOVER_MANUAL);
	sim_done(&s);
}

Test(failover, a_manual_choice_applies_at_once)
{
	by_hand(FAILOVER_DISABLE, "G", "G", "0001111111");
	by_hand(FAILOVER_PASSIVE, "G", "G", "0001111111");
}

Test(failover, a_manual_choice_waits_for_a_late_input)
{
	by_hand(FAILOVER_DISABLE, "G", "DDDDG", "0000111111");
}

/* The old input may carry a picture that must not be sent. */
Test(failover, a_manual_choice_is_forced_after_the_initial_delay)
{
	by_hand(FAILOVER_DISABLE, "G", "D", "0000011111");
}

Test(failover, a_manual_choice_holds_in_any_state)
{
	by_hand(FAILOVER_DISABLE, "G", "GGGGGGD", "0001111111");
}

Test(failover, a_manual_choice_in_passive_mode_can_fail_over)
{
	by_hand(FAILOVER_PASSIVE, "G", "GGGGGGD", "0001111000");
}

Test(failover, a_manual_choice_in_an_automatic_mode_is_rejected)
{
	struct failover_config cfg = sim_config(FAILOVER_ACTIVE, 2);
	struct sim s;

	sim_init(&s, &cfg);
	cr_assert_eq(failover_choose(s.failover, 1, 0), -EPERM);
	sim_done(&s);
	cfg.mode = FAILOVER_STOP;
	sim_init(&s, &cfg);
	cr_assert_eq(failover_choose(s.failover, 1, 0), -EPERM);
	sim_done(&s);
}

Test(failover, a_manual_choice_of_an_invalid_address_is_rejected)
{
	struct failover_config cfg = sim_config(FAILOVER_PASSIVE, 3);
	struct sim s;

	cfg.inputs[1].valid = false;
	sim_init(&s, &cfg);
	cr_assert_eq(failover_choose(s.failover, 1, 0), -EINVAL);
	cr_assert_eq(failover_following(s.failover, 0), 2);
	cr_assert_eq(failover_following(s.failover, 2), 0);
	sim_done(&s);
}

/* --- how quickly --- */

Test(failover, switches_at_once_without_a_delay)
{
	struct failover_config cfg = sim_config(FAILOVER_ACTIVE, 2);
	struct sim s;

	cfg.start_ms = 0;
	sim_init(&s, &cfg);
	s.words[0] = "GGGD";
	sim_run(&s, 2);
	while (s.now_ms < 3000)
		sim_step(&s);
	cr_assert_eq(s.playing, 1);
	sim_done(&s);
}

/* The path sleeps until next_ns when no packet comes: nothing may be late by
 * it. */
Test(failover, reports_the_time_of_the_next_decision)
{
	struct failover_config cfg = sim_config(FAILOVER_ACTIVE, 2);
	const struct failover_decision *d;
	struct failover_sight good = { .level = FAILOVER_GOOD };
	struct failover_sight dead = { .level = FAILOVER_DEAD };
	uint64_t now = SIM_START_MS * SIM_MS;
	struct failover *f = failover_new(&cfg, now);

	(void)failover_decide(f, 0, now);
	failover_see(f, 0, &good, now);
	failover_see(f, 1, &good, now);
	(void)failover_decide(f, 0, now);
	now += 10000 * SIM_MS;
	failover_see(f, 0, &dead, now);
	d = failover_decide(f, 0, now);
	cr_assert_eq(d->input, 0);
	cr_assert_eq(d->next_ns, now + 1000 * SIM_MS);
	now = d->next_ns;
	d = failover_decide(f, 0, now);
	cr_assert_eq(d->input, 1);
	cr_assert_eq(d->reason, FAILOVER_FAULT);
	failover_see(f, 0, &good, now);
	d = failover_decide(f, 1, now);
	cr_assert_leq(d->next_ns, now + 3000 * SIM_MS);
	now += 3000 * SIM_MS;
	d = failover_decide(f, 1, now);
	cr_assert_eq(d->input, 0);
	cr_assert_eq(d->reason, FAILOVER_RETURN);
	failover_free(&f);
}
