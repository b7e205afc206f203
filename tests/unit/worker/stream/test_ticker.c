/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/ticker.h"

#include "common/base/mono.h"
#include "common/base/util.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define INTERVAL_NS UINT64_C(5000000)
#define LEAD_NS UINT64_C(2000000)

enum { TICKS = 25, FORGETS_AT = 2, WAKES_AT = 3 };

enum by { BY_FD, BY_SIGNAL, BY_HEARD, BY_NONE };

struct rig {
	struct ev_loop *loop;
	struct ticker ticker;
	int pipe[2];
	ev_io reader;
	bool wakes;          /* itself, at tick WAKES_AT, ... */
	enum by by;
	bool forgets;        /* what ticker_watch() named */
	bool dumb;           /* the descriptor sends no signals */
	bool ready;          /* it is readable, and stays so */
	uint64_t lead_ns;
	int n_ticks;
	int woken_at;        /* n_ticks when the loop received it */
	uint64_t began_ns;
	uint64_t ns[TICKS];  /* of the ticks */
};

/* A sanitizer detects a fault in a tick. */
static void expect_faults_to_be_heard_of(void)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	sigset_t blocked;

	cr_assert_eq(sigprocmask(SIG_BLOCK, NULL, &blocked), 0);
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		cr_assert_not(sigismember(&blocked, faults[i]));
}

static void wake(const struct rig *r)
{
	if (r->by == BY_SIGNAL)
		cr_assert_eq(kill(getpid(), SIGUSR1), 0);
	else
		cr_assert_eq(write(r->pipe[1], "x", 1), 1);
}

static void on_tick(void *arg)
{
	struct rig *r = arg;

	r->ns[r->n_ticks++] = mono_ns();
	if (r->forgets && r->n_ticks == FORGETS_AT)
		ticker_watch(&r->ticker, -1);
	if (r->wakes && r->n_ticks == WAKES_AT)
		wake(r);
	expect_faults_to_be_heard_of();
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

static int open_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	cr_assert_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void begin(struct rig *r, const struct ticker_wakes *wakes)
{
	int reads = r->by == BY_SIGNAL ? wakes->signal_fd : r->pipe[0];

	r->loop = ev_loop_new(EVFLAG_AUTO);
	ev_io_init(&r->reader, on_readable, reads, EV_READ);
	ev_io_start(r->loop, &r->reader);
	ticker_init(&r->ticker, &(struct ticker_config){
		.loop = r->loop,
		.wake = wakes->fd >= 0 ? wakes : NULL,
		.on_tick = on_tick,
		.arg = r,
		.lead_ns = r->lead_ns,
	});
	if (r->by == BY_HEARD)
		ticker_watch(&r->ticker, r->pipe[0]);
}

/* Ticks to the end, or to where the loop was woken. */
static void run(struct rig *r, bool alone)
{
	int silent[2];
	struct ticker_wakes wakes = { .fd = -1, .signal = SIGUSR1,
				      .signal_fd = open_signal() };

	cr_assert_eq(pipe(r->pipe), 0);
	cr_assert_eq(pipe(silent), 0);
	if (r->dumb)
		wakes.fd = eventfd(0, EFD_CLOEXEC);
	else if (alone)
		wakes.fd = r->by == BY_FD ? r->pipe[0] : silent[0];
	if (r->ready)
		cr_assert_eq(write(silent[1], "x", 1), 1);
	begin(r, &wakes);
	r->began_ns = mono_ns();
	ticker_every(&r->ticker, INTERVAL_NS, r->began_ns);
	ev_run(r->loop, 0);
	close(silent[0]);
	close(silent[1]);
	close(wakes.signal_fd);
}

static void end(struct rig *r)
{
	ticker_done(&r->ticker);
	ev_io_stop(r->loop, &r->reader);
	close(r->pipe[0]);
	close(r->pipe[1]);
	ev_loop_destroy(r->loop);
}

/* One tick for each place that has begun, and no more: a delayed tick may
 * replace the next one. */
static void expect_grid(const struct rig *r)
{
	uint64_t lead = r->lead_ns;
	uint64_t first = (r->began_ns + lead) / INTERVAL_NS + 1;

	for (unsigned i = 0; i < TICKS; i++)
		cr_expect_geq((r->ns[i] + lead) / INTERVAL_NS, first + i,
			      "tick %u has no place of its own", i);
}

static void expect_loop_is_left_alone(const struct rig *r)
{
	cr_expect_eq(r->n_ticks, TICKS);
	/* a timer that ran meanwhile does not tick once more */
	cr_expect_leq(ev_iteration(r->loop), 2 + TICKS / (1 + TICKER_ALONE));
}

Test(ticker, ticks_once_in_each_place_of_the_grid)
{
	struct rig r = { .by = BY_NONE };

	run(&r, false);
	expect_grid(&r);
	cr_expect_geq(ev_iteration(r.loop), TICKS);
	end(&r);
}

Test(ticker, stays_on_the_grid_without_a_look_at_the_loop)
{
	struct rig r = { .by = BY_NONE };

	run(&r, true);
	expect_grid(&r);
	expect_loop_is_left_alone(&r);
	end(&r);
}

Test(ticker, has_its_ticks_before_the_grid_by_its_lead)
{
	for (int alone = 0; alone < 2; alone++) {
		struct rig r = { .by = BY_NONE, .lead_ns = LEAD_NS };
		unsigned before = 0;

		run(&r, alone);
		expect_grid(&r);
		for (unsigned i = 0; i < TICKS; i++)
			before += r.ns[i] % INTERVAL_NS >=
				  INTERVAL_NS - LEAD_NS;
		/* on a busy machine some are late */
		cr_expect_gt(before, 0u);
		end(&r);
	}
}

Test(ticker, goes_back_to_the_loop_at_once_when_something_wakes_it)
{
	for (enum by by = BY_FD; by <= BY_HEARD; by++) {
		struct rig r = { .wakes = true, .by = by };

		run(&r, true);
		cr_expect_geq(r.woken_at, WAKES_AT, "by %d", by);
		/* its time may have come just then */
		cr_expect_leq(r.woken_at, WAKES_AT + 1, "by %d", by);
		end(&r);
	}
}

Test(ticker, keeps_a_signal_pending_for_the_reader_of_its_descriptor)
{
	struct rig r = { .wakes = true, .by = BY_SIGNAL };
	sigset_t pending;

	run(&r, true);
	cr_assert_eq(sigpending(&pending), 0);
	cr_expect(sigismember(&pending, SIGUSR1));
	end(&r);
}

Test(ticker, stays_alone_when_a_descriptor_it_no_longer_watches_is_readable)
{
	struct rig r = { .wakes = true, .by = BY_HEARD, .forgets = true };

	run(&r, true);
	expect_loop_is_left_alone(&r);
	end(&r);
}

Test(ticker, stays_with_the_loop_while_a_descriptor_is_readable)
{
	struct rig r = { .by = BY_NONE, .ready = true };

	run(&r, true);
	expect_grid(&r);
	cr_expect_geq(ev_iteration(r.loop), TICKS);
	end(&r);
}

Test(ticker, stays_with_the_loop_when_a_descriptor_sends_no_signals)
{
	struct rig r = { .by = BY_NONE, .dumb = true };

	run(&r, true);
	expect_grid(&r);
	cr_expect_geq(ev_iteration(r.loop), TICKS);
	end(&r);
}

Test(ticker, watches_another_descriptor_that_has_the_number_of_a_closed_one)
{
	struct rig r = { .by = BY_NONE };
	struct ticker *t = &r.ticker;
	struct epoll_event event;
	int first, second;

	run(&r, true);
	first = eventfd(1, EFD_CLOEXEC);
	ticker_watch(t, first);
	close(first);
	ticker_watch(t, -1);
	cr_expect_eq(epoll_wait(t->wakes, &event, 1, 0), 0);
	second = eventfd(1, EFD_CLOEXEC);
	cr_assert_eq(second, first);
	ticker_watch(t, second);
	cr_expect_eq(epoll_wait(t->wakes, &event, 1, 0), 1);
	close(second);
	end(&r);
}
