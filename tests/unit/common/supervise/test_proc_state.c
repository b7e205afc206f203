/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/proc_state.h"

#include <criterion/criterion.h>
#include <signal.h>

/* A process and the clock that drives it. */
struct bench {
	struct proc proc;
	uint64_t now;
	struct proc_effects did;
};

static void event(struct bench *b, enum proc_event e)
{
	b->did = proc_handle(&b->proc, e, b->now);
}

/* The clock moves to the deadline, and the event occurs. */
static void deadline(struct bench *b)
{
	cr_assert_neq(b->proc.deadline_ms, 0);
	b->now = b->proc.deadline_ms;
	event(b, PROC_DEADLINE);
}

static void expect(const struct bench *b, enum proc_state state, bool start,
		   int signal)
{
	cr_assert_str_eq(proc_state_format(b->proc.state),
			 proc_state_format(state));
	cr_assert_eq(b->proc.state, state);
	cr_assert_eq(b->did.start, start);
	cr_assert_eq(b->did.signal, signal);
	cr_assert(!b->did.leave);
}

/* A bench whose worker runs, for more than the spacing of starts. */
static struct bench running(void)
{
	struct bench b = { .now = 1000000 };

	event(&b, PROC_WANT);
	expect(&b, PROC_STARTING, true, 0);
	b.now += 100;
	event(&b, PROC_READY);
	expect(&b, PROC_RUNNING, false, 0);
	for (int i = 0; i < 3; i++) {
		b.now += 1000;
		event(&b, PROC_BEAT);
		expect(&b, PROC_RUNNING, false, 0);
	}
	return b;
}

/* It has been silent for two seconds. */
static void expect_look(struct bench *b)
{
	deadline(b);
	expect(b, PROC_RUNNING, false, 0);
	cr_assert(b->did.look);
}

Test(proc_state, replaces_a_killed_worker_at_once)
{
	struct bench b = running();

	event(&b, PROC_EXIT);
	expect(&b, PROC_STARTING, true, 0);
	cr_assert_eq(b.proc.unwanted_ends, 1);
}

Test(proc_state, a_worker_that_asks_for_a_successor_has_not_failed)
{
	struct bench b = running();

	for (int i = 0; i < BACKOFF_RENEWALS; i++) {
		event(&b, PROC_CLOSED);
		event(&b, PROC_RENEW);
		event(&b, PROC_EXIT);
		expect(&b, PROC_STARTING, true, 0);
		event(&b, PROC_READY);
		b.now += 1000;
	}
	cr_assert_eq(b.proc.unwanted_ends, 0);
	cr_assert_eq(b.proc.backoff.ends, 0);
	/* too often */
	event(&b, PROC_RENEW);
	event(&b, PROC_EXIT);
	cr_assert_eq(b.proc.unwanted_ends, 1);
	cr_assert_eq(b.proc.backoff.ends, 1);
}

/* It says that it works, and asks for a successor, both at once. */
Test(proc_state, successors_that_end_at_once_become_failures)
{
	struct bench b = running();
	int starts = 0;

	while (b.proc.state != PROC_QUARANTINE) {
		backoff_works(&b.proc.backoff, true, b.now);
		event(&b, PROC_RENEW);
		event(&b, PROC_EXIT);
		if (b.proc.state == PROC_BACKOFF) {
			cr_assert_geq(b.proc.deadline_ms,
				      b.proc.backoff.started_ms +
				      BACKOFF_SPACING_MS);
			deadline(&b);
		}
		if (b.proc.state == PROC_STARTING)
			event(&b, PROC_READY);
		cr_assert_lt(starts++, BACKOFF_RENEWALS + BACKOFF_QUARANTINE);
	}
	cr_assert_eq(b.proc.unwanted_ends, BACKOFF_QUARANTINE);
}

Test(proc_state, a_successor_starts_a_second_after_its_predecessor)
{
	struct bench b = running();
	uint64_t since;

	event(&b, PROC_RENEW);
	event(&b, PROC_EXIT);
	expect(&b, PROC_STARTING, true, 0);
	since = b.now;
	event(&b, PROC_READY);
	b.now += 10;
	event(&b, PROC_RENEW);
	event(&b, PROC_EXIT);
	expect(&b, PROC_BACKOFF, false, 0);
	deadline(&b);
	expect(&b, PROC_STARTING, true, 0);
	cr_assert_eq(b.now - since, BACKOFF_SPACING_MS);
	cr_assert_eq(b.proc.unwanted_ends, 0);
}

Test(proc_state, a_request_that_is_repeated_keeps_the_pause_of_the_grant)
{
	struct bench b = running();

	event(&b, PROC_RENEW);
	event(&b, PROC_RENEW);
	event(&b, PROC_EXIT);
	event(&b, PROC_READY);
	b.now += 10;
	event(&b, PROC_RENEW);
	event(&b, PROC_RENEW);
	event(&b, PROC_EXIT);
	expect(&b, PROC_BACKOFF, false, 0);
	cr_assert_eq(b.proc.unwanted_ends, 0);
}

Test(proc_state, a_job_gets_no_successor)
{
	struct bench b = { .now = 1000000, .proc = { .once = true } };

	event(&b, PROC_WANT);
	event(&b, PROC_RENEW);
	event(&b, PROC_EXIT);
	expect(&b, PROC_GONE, false, 0);
	cr_assert_eq(b.proc.unwanted_ends, 1);
}

Test(proc_state, gives_a_hanging_worker_a_core_and_half_a_second)
{
	struct bench b = running();
	uint64_t last_beat = b.now;

	expect_look(&b);
	deadline(&b);
	expect(&b, PROC_DYING, false, SIGABRT);
	cr_assert_eq(b.now - last_beat, 3000);
	deadline(&b);
	expect(&b, PROC_KILLING, false, SIGKILL);
	cr_assert_eq(b.now - last_beat, 3000 + PROC_DYING_MS);
	event(&b, PROC_EXIT);
	expect(&b, PROC_STARTING, true, 0);
	cr_assert_lt(b.now - last_beat, 5000);
}

Test(proc_state, a_beat_moves_the_deadline)
{
	struct bench b = running();
	uint64_t old = b.proc.deadline_ms;

	b.now = old - 1;
	event(&b, PROC_BEAT);
	b.now = old;
	event(&b, PROC_DEADLINE);
	expect(&b, PROC_RUNNING, false, 0);
	cr_assert_eq(b.proc.deadline_ms, old - 1 + PROC_LOOK_MS);

	expect_look(&b);
	b.now++;
	event(&b, PROC_BEAT);
	cr_assert_eq(b.proc.deadline_ms, b.now + PROC_LOOK_MS);
	expect_look(&b);
}

Test(proc_state, blames_no_worker_for_a_pause_of_the_machine)
{
	/* the whole machine stopped, from a beat on, for any time */
	for (uint64_t ms = PROC_LOOK_MS; ms < 20000; ms += 100) {
		struct bench b = running();
		uint64_t since = b.now;

		b.now = since + ms;
		event(&b, PROC_DEADLINE);
		expect(&b, PROC_RUNNING, false, 0);
		cr_assert_eq(b.proc.deadline_ms, since + ms + PROC_GRACE_MS);
		deadline(&b);
		expect(&b, PROC_DYING, false, SIGABRT);
	}
}

Test(proc_state, blames_no_worker_for_a_pause_of_the_master)
{
	struct bench b = running();

	expect_look(&b);
	b.now = b.proc.deadline_ms + PROC_LATE_MS;
	event(&b, PROC_DEADLINE);
	expect(&b, PROC_RUNNING, false, 0);
	cr_assert(b.did.look);
	deadline(&b);
	expect(&b, PROC_DYING, false, SIGABRT);
}

Test(proc_state, a_starved_worker_has_half_a_minute)
{
	struct bench b = running();
	uint64_t since = b.now;

	expect_look(&b);
	while (b.now < since + PROC_STARVED_MS - PROC_GRACE_MS) {
		b.now = b.proc.deadline_ms;
		event(&b, PROC_STARVED);
		expect(&b, PROC_RUNNING, false, 0);
		cr_assert_not(b.did.look, "it is judged by all of the time");
	}
	b.now = b.proc.deadline_ms;
	event(&b, PROC_STARVED);
	expect(&b, PROC_DYING, false, SIGABRT);
	cr_assert_eq(b.now - since, PROC_STARVED_MS);
}

Test(proc_state, no_pause_of_our_own_keeps_a_hanging_worker_for_ever)
{
	struct bench b = running();
	uint64_t since = b.now;

	while (b.proc.state == PROC_RUNNING) {
		b.now = b.proc.deadline_ms + PROC_LATE_MS;
		event(&b, PROC_DEADLINE);
		cr_assert_lt(b.now - since, PROC_STARVED_MS + 2000);
	}
	expect(&b, PROC_DYING, false, SIGABRT);
}

Test(proc_state, a_starved_worker_has_two_minutes_to_be_ready)
{
	struct bench b = { .now = 5 };

	for (event(&b, PROC_WANT); b.now < 5 + PROC_READY_MOST_MS;
	     b.now = b.proc.deadline_ms, event(&b, PROC_STARVED)) {
		expect(&b, PROC_STARTING, b.now == 5, 0);
		cr_assert_not(proc_is_measured(&b.proc, b.now));
	}
	expect(&b, PROC_DYING, false, SIGABRT);
}

Test(proc_state, waits_thirty_seconds_for_ready)
{
	struct bench b = { .now = 5 };

	event(&b, PROC_WANT);
	deadline(&b);
	expect(&b, PROC_DYING, false, SIGABRT);
	cr_assert_eq(b.now, 5 + PROC_READY_MS);
	event(&b, PROC_EXIT);
	expect(&b, PROC_STARTING, true, 0);
}

Test(proc_state, stops_with_term_then_kill)
{
	struct bench b = running();

	event(&b, PROC_UNWANT);
	expect(&b, PROC_STOPPING, false, SIGTERM);
	event(&b, PROC_CLOSED);
	expect(&b, PROC_STOPPING, false, 0);
	deadline(&b);
	expect(&b, PROC_KILLING, false, SIGKILL);
	event(&b, PROC_EXIT);
	expect(&b, PROC_GONE, false, 0);
	cr_assert_eq(b.proc.unwanted_ends, 0);
	cr_assert_eq(b.proc.deadline_ms, 0);
}

Test(proc_state, restarts_at_once_without_counting_an_end)
{
	struct bench b = running();

	/* however often and however soon */
	for (int i = 0; i < 2 * BACKOFF_QUARANTINE; i++) {
		event(&b, PROC_RESTART);
		expect(&b, PROC_STOPPING, false, SIGTERM);
		event(&b, PROC_EXIT);
		expect(&b, PROC_STARTING, true, 0);
		b.now += 10;
		event(&b, PROC_READY);
	}
	cr_assert_eq(b.proc.unwanted_ends, 0);
	cr_assert(!backoff_is_quarantine(&b.proc.backoff));
}

Test(proc_state, a_worker_that_is_requested_again_while_it_stops_is_started)
{
	struct bench b = running();

	event(&b, PROC_UNWANT);
	event(&b, PROC_WANT);
	expect(&b, PROC_STOPPING, false, 0);
	event(&b, PROC_EXIT);
	expect(&b, PROC_STARTING, true, 0);
}

Test(proc_state, a_worker_that_is_removed_while_it_restarts_stays_removed)
{
	struct bench b = running();

	event(&b, PROC_RESTART);
	event(&b, PROC_UNWANT);
	event(&b, PROC_EXIT);
	expect(&b, PROC_GONE, false, 0);
}

Test(proc_state, kills_a_worker_that_breaks_the_channel_at_once)
{
	struct bench b = running();

	event(&b, PROC_BAD);
	expect(&b, PROC_KILLING, false, SIGKILL);
	event(&b, PROC_EXIT);
	expect(&b, PROC_STARTING, true, 0);
	cr_assert_eq(b.proc.unwanted_ends, 1);
}

Test(proc_state, a_worker_that_closed_its_channel_has_half_a_second)
{
	struct bench b = running();

	event(&b, PROC_CLOSED);
	expect(&b, PROC_DYING, false, 0);
	deadline(&b);
	expect(&b, PROC_KILLING, false, SIGKILL);
}

/* Ends until the quarantine. */
static struct bench quarantined(void)
{
	static const enum proc_state next[] = {
		PROC_BACKOFF, PROC_BACKOFF, PROC_BACKOFF, PROC_BACKOFF,
		PROC_QUARANTINE,
	};
	struct bench b = { .now = 1000 };

	event(&b, PROC_WANT);
	for (size_t i = 0; i < ARRAY_LEN(next); i++) {
		/* dies at once: even the first waits for the spacing */
		event(&b, PROC_EXIT);
		expect(&b, next[i], false, 0);
		if (i + 1 < ARRAY_LEN(next)) {
			deadline(&b);
			expect(&b, PROC_STARTING, true, 0);
		}
	}
	return b;
}

Test(proc_state, tries_once_a_minute_in_quarantine)
{
	struct bench b = quarantined();
	uint64_t since = b.now;

	for (int i = 0; i < 5; i++) {
		deadline(&b);
		expect(&b, PROC_STARTING, true, 0);
		cr_assert_geq(b.now - since, 48000);
		cr_assert_leq(b.now - since, 72000);
		since = b.now;
		event(&b, PROC_EXIT);
		expect(&b, PROC_QUARANTINE, false, 0);
	}
}

Test(proc_state, leaves_the_quarantine_by_hand)
{
	struct bench b = quarantined();

	event(&b, PROC_WANT);
	expect(&b, PROC_QUARANTINE, false, 0);
	event(&b, PROC_RESTART);
	expect(&b, PROC_STARTING, true, 0);
	cr_assert(!backoff_is_quarantine(&b.proc.backoff));
}

Test(proc_state, leaves_the_quarantine_when_not_wanted)
{
	struct bench b = quarantined();

	event(&b, PROC_UNWANT);
	expect(&b, PROC_GONE, false, 0);
	cr_assert_eq(b.proc.deadline_ms, 0);
}

/* Hangs in the kernel: no signal ends it. */
static void get_stuck(struct bench *b)
{
	if (b->proc.state == PROC_RUNNING)
		expect_look(b);
	deadline(b);
	expect(b, PROC_DYING, false, SIGABRT);
	deadline(b);
	expect(b, PROC_KILLING, false, SIGKILL);
	deadline(b);
	cr_assert(b->did.leave);
}

Test(proc_state, replaces_a_process_that_hangs_in_the_kernel)
{
	struct bench b = running();

	get_stuck(&b);
	cr_assert_eq(b.proc.state, PROC_STARTING);
	cr_assert(b.did.start);
	cr_assert_eq(b.proc.left, 1);
	event(&b, PROC_LEFT_EXIT);
	expect(&b, PROC_STARTING, false, 0);
	cr_assert_eq(b.proc.left, 0);
}

Test(proc_state, does_not_pile_up_stuck_processes)
{
	struct bench b = running();

	for (;;) {
		get_stuck(&b);
		if (b.proc.state == PROC_LOST)
			break;
		if (b.proc.state == PROC_STARTING)
			continue;
		deadline(&b);
		expect(&b, PROC_STARTING, true, 0);
	}
	cr_assert_eq(b.proc.left, PROC_LEFT_MAX);
	cr_assert_eq(b.proc.deadline_ms, 0);

	/* nor when it is requested again */
	event(&b, PROC_UNWANT);
	expect(&b, PROC_GONE, false, 0);
	event(&b, PROC_WANT);
	expect(&b, PROC_LOST, false, 0);

	event(&b, PROC_LEFT_EXIT);
	expect(&b, PROC_STARTING, true, 0);
	cr_assert_eq(b.proc.left, PROC_LEFT_MAX - 1);
}

Test(proc_state, stops_although_the_worker_is_stuck)
{
	struct bench b = running();

	event(&b, PROC_UNWANT);
	deadline(&b);
	deadline(&b);
	cr_assert(b.did.leave);
	cr_assert_eq(b.proc.state, PROC_GONE);
	cr_assert(!b.did.start);
}

Test(proc_state, an_adopted_worker_is_watched_like_any_other)
{
	struct bench b = { .now = 1000000 };

	event(&b, PROC_ADOPT);
	expect(&b, PROC_RUNNING, false, 0);
	b.now += 1000;
	event(&b, PROC_BEAT);
	expect(&b, PROC_RUNNING, false, 0);
	event(&b, PROC_EXIT);
	expect(&b, PROC_STARTING, true, 0);
	cr_assert_eq(b.proc.unwanted_ends, 1);

	b = (struct bench){ .now = 1000000 };
	event(&b, PROC_ADOPT);
	expect_look(&b);
	deadline(&b);
	expect(&b, PROC_DYING, false, SIGABRT);

	/* a worker that cannot continue, and one that is requested again */
	b = (struct bench){ .now = 1000000 };
	event(&b, PROC_ADOPT);
	event(&b, PROC_UNWANT);
	expect(&b, PROC_STOPPING, false, SIGTERM);
	event(&b, PROC_WANT);
	event(&b, PROC_EXIT);
	expect(&b, PROC_STARTING, true, 0);
	cr_assert_eq(b.proc.unwanted_ends, 0);
}

/* Any events in any order: the invariants that other code relies on. */
Test(proc_state, every_order_of_events_keeps_the_invariants)
{
	for (uint32_t seed = 1; seed <= 2000; seed++) {
		struct bench b = { .now = 1000 };
		uint32_t random = seed;
		bool alive = false; /* a process exists, or is being started */
		unsigned left = 0;

		for (int i = 0; i < 400; i++) {
			enum proc_event e;

			random = random * 1664525u + 1013904223u;
			e = (enum proc_event)((random >> 16) % PROC_EVENTS);
			if ((e >= PROC_READY && e <= PROC_EXIT && !alive) ||
			    (e == PROC_SHORT &&
			     b.proc.state != PROC_STARTING) ||
			    (e == PROC_LEFT_EXIT && left == 0) ||
			    /* a new master has left no process behind */
			    (e == PROC_ADOPT && left > 0))
				continue;
			b.now += (random >> 8) % 3000;
			event(&b, e);
			if (e == PROC_EXIT || e == PROC_SHORT)
				alive = false;
			left -= e == PROC_LEFT_EXIT;

			/* signals go to somebody, starts to a free place */
			cr_assert(b.did.signal == 0 || alive);
			if (b.did.leave) {
				cr_assert(alive);
				alive = false;
				left++;
			}
			cr_assert(!(b.did.start && alive));
			alive |= b.did.start ||
				 (e == PROC_ADOPT &&
				  b.proc.state == PROC_RUNNING);
			cr_assert_eq(b.proc.left, left);
			cr_assert_leq(left, PROC_LEFT_MAX);
			cr_assert_eq(b.proc.deadline_ms == 0,
				     b.proc.state == PROC_GONE ||
					     b.proc.state == PROC_LOST);
			cr_assert_eq(alive,
				     b.proc.state >= PROC_STARTING &&
					     b.proc.state <= PROC_KILLING);
		}
	}
}

/* No descriptors, no memory: that is our want, not its fault. */
Test(proc_state, lack_of_resources_does_not_lead_into_quarantine)
{
	struct bench b = running();

	event(&b, PROC_EXIT);
	expect(&b, PROC_STARTING, true, 0);
	for (int i = 0; i < 20; i++) {
		event(&b, PROC_SHORT);
		expect(&b, PROC_BACKOFF, false, 0);
		cr_assert_eq(b.proc.deadline_ms, b.now + PROC_SHORT_MS);
		deadline(&b);
		expect(&b, PROC_STARTING, true, 0);
	}
	cr_assert_eq(b.proc.unwanted_ends, 1);
	event(&b, PROC_READY);
	expect(&b, PROC_RUNNING, false, 0);
}

Test(proc_state, starts_a_job_only_once)
{
	static const enum proc_event ends[] = { PROC_EXIT, PROC_BAD,
						PROC_CLOSED, PROC_DEADLINE };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct bench b = running();

		b.proc.once = true;
		if (ends[i] == PROC_DEADLINE)
			deadline(&b);
		else
			event(&b, ends[i]);
		if (ends[i] != PROC_EXIT)
			event(&b, PROC_EXIT);
		expect(&b, PROC_GONE, false, 0);
		cr_assert_eq(b.proc.deadline_ms, 0);
		cr_assert_eq(b.proc.unwanted_ends, 1);
	}
}
