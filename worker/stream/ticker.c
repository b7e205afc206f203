/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/ticker.h"

#include "common/fd.h"
#include "common/log.h"
#include "common/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)

static void on_expired(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop, (void)revents;
	struct ticker *t = container_of(w, struct ticker, io);
	uint64_t expired;

	/* how many ticks were missed does not matter: there is one now */
	if (read(t->io.fd, &expired, sizeof expired) > 0)
		t->on_tick(t->arg);
}

/* FNV-1a */
static unsigned phase_of(const char *name)
{
	uint32_t hash = 2166136261;

	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619;
	return (hash >> 16) % TICKER_PHASES;
}

void ticker_init(struct ticker *t, struct ev_loop *loop, const char *name,
		 void (*on_tick)(void *arg), void *arg)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0) {
		log_error("stream", "timer: %s", strerror(errno));
		abort();
	}
	*t = (struct ticker){ .loop = loop, .on_tick = on_tick, .arg = arg,
			      .phase = phase_of(name) };
	ev_io_init(&t->io, on_expired, fd, EV_READ);
	ev_io_start(loop, &t->io);
}

void ticker_done(struct ticker *t)
{
	if (t->loop == NULL)
		return;
	ev_io_stop(t->loop, &t->io);
	fd_close(&t->io.fd);
	t->loop = NULL;
}

static struct timespec as_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND_NS),
				  .tv_nsec = (long)(ns % SECOND_NS) };
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
	uint64_t phase = interval_ns * t->phase / TICKER_PHASES;

	if (t->interval_ns == interval_ns)
		return;
	set(t, (now_ns / interval_ns + 1) * interval_ns + phase, interval_ns);
}

void ticker_at(struct ticker *t, uint64_t at_ns)
{
	set(t, at_ns, 0);
}
