/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/save.h"

#include "common/alloc.h"
#include "common/errmsg.h"
#include "common/log.h"
#include "common/mono.h"
#include "common/ratelimit.h"
#include "common/util.h"
#include "master/config/replace.h"

#include <ev.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { JOIN_MAX_S = 3 };

struct save {
	struct save_config cfg;
	ev_timer timer;
	ev_async done;
	bool dirty;  /* changed since the text of the last write was taken */
	bool due;    /* the time came while a write was in flight */
	bool failed; /* the last write */
	unsigned retry_ms;
	struct ratelimit log_limit;

	/* of the thread while writing is true */
	bool writing;
	pthread_t thread;
	char *text;
	size_t len;
	int result;
	struct errmsg why;
	atomic_bool finished;
};

static void arm(struct save *s, unsigned after_ms)
{
	ev_timer_stop(s->cfg.loop, &s->timer);
	ev_timer_set(&s->timer, after_ms / 1e3, 0);
	ev_timer_start(s->cfg.loop, &s->timer);
}

static void *write_in_thread(void *arg)
{
	struct save *s = arg;

	s->result = replace_file(s->cfg.path, s->text, s->len, &s->why);
	atomic_store(&s->finished, true);
	ev_async_send(s->cfg.loop, &s->done);
	return NULL;
}

/* The thread must not take signals that the loop's thread waits for. */
static int start_thread(struct save *s)
{
	sigset_t all, old;
	int err;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&s->thread, NULL, write_in_thread, s);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

static void log_failure(struct save *s)
{
	unsigned held;

	s->failed = true;
	if (!ratelimit_pass(&s->log_limit, mono_ms(), &held))
		return;
	log_error("config", "%s is not saved: %s", s->cfg.path, s->why.text);
	if (held > 0)
		log_error("config", "%s: %u more failures since the last line",
			  s->cfg.path, held);
}

static void retry_later(struct save *s)
{
	log_failure(s);
	s->dirty = true;
	s->due = false;
	arm(s, s->retry_ms);
	s->retry_ms = MIN(s->retry_ms * 2, s->cfg.retry_max_ms);
}

static void begin(struct save *s)
{
	int r;

	s->dirty = false;
	s->due = false;
	s->text = s->cfg.text(&s->len, s->cfg.arg);
	atomic_store(&s->finished, false);
	r = start_thread(s);
	if (r == 0) {
		s->writing = true;
		return;
	}
	free(s->text);
	s->text = NULL;
	errmsg_set(&s->why, "no thread: %s", strerror(-r));
	retry_later(s);
}

/* After the thread has ended. */
static int take_result(struct save *s)
{
	s->writing = false;
	free(s->text);
	s->text = NULL;
	if (s->result == 0) {
		if (s->failed)
			log_info("config", "%s is saved again", s->cfg.path);
		s->failed = false;
		s->retry_ms = s->cfg.retry_min_ms;
	}
	return s->result;
}

static void finish(struct save *s)
{
	(void)pthread_join(s->thread, NULL);
	if (take_result(s) < 0)
		retry_later(s);
	else if (s->due)
		begin(s);
}

static void on_done(struct ev_loop *loop, ev_async *w, int revents)
{
	struct save *s = container_of(w, struct save, done);

	(void)loop, (void)revents;
	if (s->writing && atomic_load(&s->finished))
		finish(s);
}

static void on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct save *s = container_of(w, struct save, timer);

	(void)loop, (void)revents;
	if (s->writing)
		s->due = true;
	else
		begin(s);
}

struct save *save_new(const struct save_config *cfg)
{
	struct save *s = xcalloc(1, sizeof *s);

	s->cfg = *cfg;
	s->cfg.path = xstrdup(cfg->path);
	s->retry_ms = cfg->retry_min_ms;
	s->log_limit = (struct ratelimit){ .burst = 3, .window_ms = 60000 };
	ev_timer_init(&s->timer, on_timer, 0, 0);
	ev_async_init(&s->done, on_done);
	ev_async_start(cfg->loop, &s->done);
	return s;
}

/* False when the disk holds the thread: it may hang for ever. */
static bool join_thread(struct save *s)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += JOIN_MAX_S;
	return pthread_clockjoin_np(s->thread, NULL, CLOCK_MONOTONIC,
				    &until) == 0;
}

static void write_now(struct save *s)
{
	s->text = s->cfg.text(&s->len, s->cfg.arg);
	s->result = replace_file(s->cfg.path, s->text, s->len, &s->why);
	if (take_result(s) < 0)
		log_failure(s);
}

void save_free(struct save **p)
{
	struct save *s = *p;

	*p = NULL;
	if (s == NULL)
		return;
	ev_timer_stop(s->cfg.loop, &s->timer);
	if (s->writing && !join_thread(s)) {
		/* the thread still uses the memory: left to the exit */
		log_error("config", "%s: the disk does not answer, the last "
			  "change may be lost", s->cfg.path);
		return;
	}
	ev_async_stop(s->cfg.loop, &s->done);
	if (s->writing && take_result(s) < 0) {
		log_failure(s);
		s->dirty = true;
	}
	if (s->dirty && !s->cfg.settle)
		write_now(s);
	free((char *)s->cfg.path);
	free(s);
}

void save_touch(struct save *s)
{
	if (s->dirty && !s->cfg.settle)
		return;
	s->dirty = true;
	arm(s, s->cfg.delay_ms);
}
