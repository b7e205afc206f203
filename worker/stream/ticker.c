/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/ticker.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* Reads the timer.  True if it has expired, once or several times. */
static bool take_expired(struct ticker *t)
{
	uint64_t expired;

	return read(t->io.fd, &expired, sizeof expired) > 0;
}

static struct timespec as_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND_NS),
				  .tv_nsec = (long)(ns % SECOND_NS) };
}

/* The time of the next tick of the grid, lead_ns before a multiple of the
 * interval. */
static uint64_t next_ns(const struct ticker *t, uint64_t interval_ns,
			uint64_t now_ns)
{
	return now_ns + interval_ns - (now_ns + t->lead_ns) % interval_ns;
}

static void tick_alone(struct ticker *t)
{
	struct epoll_event event;

	/* a signal reports that a descriptor becomes readable, not that it is
	 * readable already */
	if (epoll_wait(t->wakes, &event, 1, 0) != 0)
		return;
	for (int i = 0; i < TICKER_ALONE && t->alone && t->interval_ns > 0;
	     i++) {
		uint64_t now = mono_ns();
		struct timespec timeout =
			as_timespec(next_ns(t, t->interval_ns, now) - now);
		int got = sigtimedwait(&t->signals, NULL, &timeout);

		/* sigtimedwait() took the signal: raised again, it makes the
		 * signalfd readable */
		if (got > 0 && got == t->wake_signal)
			(void)raise(got);
		if (got >= 0 || errno != EAGAIN)
			break;
		t->on_tick(t->arg);
	}
	/* the timer expired during the sleep, too: these ticks are done */
	if (t->interval_ns > 0)
		(void)take_expired(t);
}

static void on_expired(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop, (void)revents;
	struct ticker *t = container_of(w, struct ticker, io);

	if (!take_expired(t))
		return;
	t->on_tick(t->arg);
	if (t->alone)
		tick_alone(t);
}

static void give_up(const char *what)
{
	log_error("stream", "%s: %s", what, strerror(errno));
	abort();
}

/* Lets the descriptor send SIGIO to this thread, or no longer.  -errno on
 * failure; -EOPNOTSUPP: this descriptor cannot send signals. */
static int send_signals(int fd, bool on)
{
	const struct f_owner_ex us = { F_OWNER_TID, gettid() };
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETOWN_EX, &us) < 0 ||
	    fcntl(fd, F_SETFL,
		  on ? flags | O_ASYNC : flags & ~O_ASYNC) < 0)
		return -errno;
	/* a descriptor that cannot send signals ignores the flag */
	return !on || fcntl(fd, F_GETFL) & O_ASYNC ? 0 : -EOPNOTSUPP;
}

static void add_wake(struct ticker *t, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (fd >= 0 && epoll_ctl(t->wakes, EPOLL_CTL_ADD, fd, &event) < 0)
		give_up("wake-up");
}

void ticker_init(struct ticker *t, const struct ticker_config *config)
{
	const struct ticker_wakes *wake = config->wake;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0)
		give_up("timer");
	*t = (struct ticker){ .loop = config->loop,
			      .on_tick = config->on_tick,
			      .arg = config->arg,
			      .lead_ns = config->lead_ns,
			      .wakes = -1,
			      .watched = -1 };
	if (wake != NULL) {
		t->wakes = epoll_create1(EPOLL_CLOEXEC);
		if (t->wakes < 0)
			give_up("wake-up");
		(void)sigemptyset(&t->signals);
		(void)sigaddset(&t->signals, SIGIO);
		(void)pthread_sigmask(SIG_BLOCK, &t->signals, NULL);
		if (wake->signal != 0)
			(void)sigaddset(&t->signals, wake->signal);
		t->wake_signal = wake->signal;
		add_wake(t, wake->signal_fd);
		add_wake(t, wake->fd);
		t->alone = send_signals(wake->fd, true) == 0;
	}
	ev_io_init(&t->io, on_expired, fd, EV_READ);
	ev_io_start(t->loop, &t->io);
}

void ticker_done(struct ticker *t)
{
	if (t->loop == NULL)
		return;
	ev_io_stop(t->loop, &t->io);
	fd_close(&t->io.fd);
	fd_close(&t->wakes);
	t->loop = NULL;
}

void ticker_watch(struct ticker *t, int fd)
{
	if (t->wakes < 0 || fd == t->watched)
		return;
	/* errors are ignored: a closed descriptor has left the epoll */
	if (t->watched >= 0) {
		(void)epoll_ctl(t->wakes, EPOLL_CTL_DEL, t->watched, NULL);
		(void)send_signals(t->watched, false);
	}
	t->watched = fd;
	add_wake(t, fd);
	if (fd >= 0 && send_signals(fd, true) < 0)
		t->alone = false;
}

/* Sets the timer: the first tick at at_ns, the next ones every interval_ns; 0:
 * no further ticks.  It cannot fail with times in range. */
static void set(struct ticker *t, uint64_t at_ns, uint64_t interval_ns)
{
	const struct itimerspec spec = {
		.it_value = as_timespec(MAX(at_ns, 1)),
		.it_interval = as_timespec(interval_ns),
	};

	t->interval_ns = interval_ns;
	(void)timerfd_settime(t->io.fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

void ticker_every(struct ticker *t, uint64_t interval_ns, uint64_t now_ns)
{
	if (t->interval_ns != interval_ns)
		set(t, next_ns(t, interval_ns, now_ns), interval_ns);
}

void ticker_at(struct ticker *t, uint64_t at_ns)
{
	set(t, at_ns, 0);
}
