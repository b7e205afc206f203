/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/ticker.h"

#include "common/mono.h"
#include "common/util.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define INTERVAL_NS UINT64_C(5000000)

enum { TICKS = 25, WAKES_AT = 3 };

struct rig {
	struct ev_loop *loop;
	struct ticker ticker;
	int pipe[2];
	ev_io reader;
	ev_signal listener;
	bool wakes;          /* itself, at tick WAKES_AT, ... */
	bool news;           /* ... by what ticker_hear() was told ... */
	bool signals;        /* ... or sends itself a signal */
	int n_ticks;
	int woken_at;        /* n_ticks when the loop heard it */
	uint64_t ns[TICKS];  /* of the ticks */
};

static void on_tick(void *arg)
{
	struct rig *r = arg;

	r->ns[r->n_ticks++] = mono_ns();
	if (r->wakes && r->n_ticks == WAKES_AT)
		cr_assert_eq(write(r->pipe[1], "x", 1), 1);
	if (r->signals && r->n_ticks == WAKES_AT)
		cr_assert_eq(raise(SIGUSR1), 0);
	if (r->n_ticks < TICKS)
		return;
	ticker_at(&r->ticker, UINT64_MAX / 4);
	ev_break(r->loop, EVBREAK_ALL);
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)revents;
	struct rig *r = container_of(w, struct rig, reader);

	r->woken_at = r->n_ticks;
	ev_break(loop, EVBREAK_ALL);
}

static void on_signal(struct ev_loop *loop, ev_signal *w, int revents)
{
	(void)revents;
	struct rig *r = container_of(w, struct rig, listener);

	r->woken_at = r->n_ticks;
	ev_break(loop, EVBREAK_ALL);
}

/* Ticks to the end, or to where the loop was woken. */
static void run(struct rig *r, bool alone)
{
	int silent = eventfd(0, EFD_CLOEXEC);

	r->loop = ev_loop_new(EVFLAG_AUTO);
	cr_assert_eq(pipe(r->pipe), 0);
	ev_io_init(&r->reader, on_readable, r->pipe[0], EV_READ);
	ev_io_start(r->loop, &r->reader);
	ev_signal_init(&r->listener, on_signal, SIGUSR1);
	ev_signal_start(r->loop, &r->listener);
	ticker_init(&r->ticker, &(struct ticker_config){
		.loop = r->loop,
		.name = "a001",
		.wake = !alone ? 0 : r->news ? silent : r->pipe[0],
		.on_tick = on_tick,
		.arg = r,
	});
	if (r->news)
		ticker_hear(&r->ticker, r->pipe[0]);
	ticker_every(&r->ticker, INTERVAL_NS, mono_ns());
	ev_run(r->loop, 0);
	close(silent);
}

static void end(struct rig *r)
{
	ticker_done(&r->ticker);
	ev_io_stop(r->loop, &r->reader);
	ev_signal_stop(r->loop, &r->listener);
	close(r->pipe[0]);
	close(r->pipe[1]);
	ev_loop_destroy(r->loop);
}

static void expect_grid(const struct rig *r)
{
	uint64_t phase = INTERVAL_NS * r->ticker.phase / TICKER_PHASES;

	for (int i = 1; i < TICKS; i++)
		cr_expect_gt((r->ns[i] - phase) / INTERVAL_NS,
			     (r->ns[i - 1] - phase) / INTERVAL_NS,
			     "tick %d is not in a place of its own", i);
}

Test(ticker, ticks_once_in_each_place_of_the_grid)
{
	struct rig r = { 0 };

	run(&r, false);
	expect_grid(&r);
	cr_expect_geq(ev_iteration(r.loop), TICKS);
	end(&r);
}

Test(ticker, stays_on_the_grid_without_a_look_at_the_loop)
{
	struct rig r = { 0 };

	run(&r, true);
	expect_grid(&r);
	/* a timer that went on meanwhile does not tick once more */
	cr_expect_leq(ev_iteration(r.loop), 2 + TICKS / (1 + TICKER_ALONE));
	end(&r);
}

Test(ticker, goes_back_to_the_loop_at_once_when_somebody_wants_something)
{
	for (int news = 0; news <= 1; news++) {
		struct rig r = { .wakes = true, .news = news };

		run(&r, true);
		cr_expect_geq(r.woken_at, WAKES_AT);
		/* its time may have come just then */
		cr_expect_leq(r.woken_at, WAKES_AT + 1);
		end(&r);
	}
}

Test(ticker, hears_a_signal_that_comes_in_a_tick_at_the_next)
{
	struct rig r = { .signals = true };

	run(&r, true);
	cr_expect_geq(r.woken_at, WAKES_AT);
	cr_expect_leq(r.woken_at, WAKES_AT + 1);
	end(&r);
}
