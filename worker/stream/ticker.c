/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/ticker.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* How many ticks were missed does not matter: there is one now. */
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

/* When the grid has its next tick. */
static uint64_t next_ns(const struct ticker *t, uint64_t interval_ns,
			uint64_t now_ns)
{
	uint64_t phase = interval_ns * t->phase / TICKER_PHASES;

	return now_ns + interval_ns - (now_ns - phase) % interval_ns;
}

/* Until the next tick; false when there is something else to do before. */
static bool sleep_alone(struct ticker *t)
{
	uint64_t now = mono_ns();
	struct timespec timeout =
		as_timespec(next_ns(t, t->interval_ns, now) - now);

	return ppoll(t->wakes, ARRAY_LEN(t->wakes), &timeout, NULL) == 0;
}

static void tick_alone(struct ticker *t)
{
	for (int i = 0; i < TICKER_ALONE && t->interval_ns > 0; i++) {
		if (!sleep_alone(t))
			break;
		t->on_tick(t->arg);
	}
	/* the timer has gone on meanwhile */
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

/* FNV-1a */
static unsigned phase_of(const char *name)
{
	uint32_t hash = 2166136261;

	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619;
	return (hash >> 16) % TICKER_PHASES;
}

void ticker_init(struct ticker *t, const struct ticker_config *config)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0) {
		log_error("stream", "timer: %s", strerror(errno));
		abort();
	}
	*t = (struct ticker){ .loop = config->loop,
			      .on_tick = config->on_tick,
			      .arg = config->arg,
			      .alone = config->wake != NULL,
			      .phase = phase_of(config->name) };
	for (size_t i = 0; i < ARRAY_LEN(t->wakes); i++)
		t->wakes[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	for (size_t i = 0; t->alone && i < TICKER_WAKES; i++)
		t->wakes[i].fd = config->wake[i];
	ev_io_init(&t->io, on_expired, fd, EV_READ);
	ev_io_start(t->loop, &t->io);
}

void ticker_done(struct ticker *t)
{
	if (t->loop == NULL)
		return;
	ev_io_stop(t->loop, &t->io);
	fd_close(&t->io.fd);
	t->loop = NULL;
}

void ticker_hear(struct ticker *t, int fd)
{
	t->wakes[TICKER_WAKES].fd = fd;
}

/* With times in range it cannot fail. */
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
