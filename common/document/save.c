/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/save.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/ratelimit.h"
#include "common/loop/thread.h"
#include "common/base/util.h"
#include "common/document/document.h"
#include "common/document/replace.h"
#include "common/document/revisions.h"
#include "common/loop/timer.h"

#include <errno.h>
#include <ev.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { SLOW_MS = 5000 };

/* A caller that waits for a write. */
struct order {
	STAILQ_ENTRY(order) link;
	char *text; /* NULL: cfg.text() is called when the write begins */
	size_t len;
	bool is_text;
	bool in_effect; /* see save_text() */
	/* the text takes the place of touched content that waited, or whose
	 * write failed */
	bool displaces;
	bool catches_up; /* see save_catch_up() */
	bool waits;      /* see save_wait(): writes nothing */
	save_done_fn *done;
	void *arg;
	int result; /* result of the write, once it has ended */
	struct errmsg error;
};

STAILQ_HEAD(orders, order);

struct save {
	struct save_config cfg;
	ev_timer timer;
	ev_async done;
	bool dirty;  /* to be written: changed since the last write took its
		      * text, or that write failed, or save_now() was called */
	bool due;    /* the timer has expired: the next write is due */
	bool told;   /* the log says that writes fail */
	struct errmsg failed; /* why the last write failed; "": it did not */
	unsigned retry_ms;
	/* time of the content in the file; content that is caught up within
	 * delay_ms of it makes one version with it; 0: none */
	uint64_t burst_ms;
	/* authors of the content in the file */
	char signed_by[REVISION_AUTHOR_MAX + 1];
	struct ratelimit log_limit;
	struct ratelimit lost_limit;
	struct ratelimit other_limit;
	struct ratelimit slow_limit;
	struct orders orders;
	struct order *order; /* order of the write in flight; NULL: none */
	/* callers of save_join() whose content is touched, and those whose
	 * content is in the write in flight */
	struct orders touched, in_flight;

	/* while writing is true, the thread uses the members down to error */
	bool writing;
	pthread_t thread;
	uint64_t took_ms;
	char *text;
	size_t len;
	bool is_text;   /* the content is that of save_text() */
	bool in_effect; /* it is in effect, or will be at once */
	/* logins for revisions_sign(); "": unknown */
	char author[REVISION_AUTHOR_MAX + 1];
	/* the content in the file; known: that which is in effect */
	struct former former;
	int result;
	struct errmsg error;
	atomic_bool finished;

	pthread_mutex_t end;
	/* protected by end: the thread was left behind and must not use the
	 * loop */
	bool left;
};

static void arm(struct save *s, unsigned after_ms)
{
	timer_start(s->cfg.loop, &s->timer, after_ms / 1e3);
}

static int replace(struct save *s)
{
	int r;

	if (s->cfg.revisions)
		r = revisions_replace(s->cfg.path, s->text, s->len, &s->former,
				      &s->error);
	else
		r = replace_file(s->cfg.path, s->text, s->len, &s->error);
	if (r == 0 && s->author[0] != '\0')
		revisions_sign(s->cfg.path, s->author);
	/* a text that was not written does not come into effect, but may be in
	 * the file */
	if (s->former.replaced && s->in_effect && (r == 0 || !s->is_text))
		document_digest(s->text, s->len, s->former.known);
	return r;
}

static void *write_in_thread(void *arg)
{
	struct save *s = arg;
	uint64_t begin_ms = mono_ms();

	s->result = replace(s);
	s->took_ms = mono_ms() - begin_ms;
	(void)pthread_mutex_lock(&s->end);
	atomic_store(&s->finished, true);
	if (!s->left)
		ev_async_send(s->cfg.loop, &s->done);
	(void)pthread_mutex_unlock(&s->end);
	return NULL;
}

/* Logs a failed write.  retries: the same content will be written again after
 * retry_ms. */
static void log_failure(struct save *s, bool retries)
{
	unsigned held;

	if (!ratelimit_pass(&s->log_limit, mono_ms(), &held))
		return;
	s->told = true;
	if (retries)
		log_error("config", "%s is not saved: %s; the next attempt "
			  "is in %u s", s->cfg.path, s->error.text,
			  (s->retry_ms + 999) / 1000);
	else
		log_error("config", "%s is not saved: %s", s->cfg.path,
			  s->error.text);
	if (held > 0)
		log_error("config", "%s: %u more failures since the last line",
			  s->cfg.path, held);
}

static void report(struct order *o, int result, const struct errmsg *error)
{
	if (o == NULL)
		return;
	o->done(result, error, o->arg);
	free(o->text);
	free(o);
}

/* Handles the result of a write that has ended.  Adds its order and the callers
 * that have joined it to over, from which they are reported later. */
static void conclude(struct save *s, int result, struct orders *over)
{
	struct order *o = s->order, *text;
	bool failed = result < 0 &&
		      (o == NULL || !o->is_text || o->displaces);
	bool retries;

	STAILQ_FOREACH(text, &s->orders, link)
		if (text->is_text)
			break;
	retries = failed && text == NULL;
	s->order = NULL;
	if (result < 0)
		log_failure(s, retries);
	if (failed)
		s->failed = s->error;
	/* the failed content is not written over a text that was ordered
	 * later */
	if (failed && !retries)
		text->displaces = true;
	if (retries) {
		s->dirty = true;
		s->due = false;
		arm(s, s->retry_ms);
		s->retry_ms = MIN(s->retry_ms * 2, s->cfg.retry_max_ms);
	}
	if (o != NULL)
		STAILQ_INSERT_HEAD(&s->in_flight, o, link);
	STAILQ_FOREACH(o, &s->in_flight, link) {
		o->result = result;
		o->error = s->error;
	}
	STAILQ_CONCAT(over, &s->in_flight);
}

/* Sets what the write depends on beside its text.  Adds the authors of the
 * content to those of a write that failed. */
static void prepare(struct save *s)
{
	char *author = s->cfg.author != NULL ? s->cfg.author(s->cfg.arg) : NULL;
	const struct order *o = s->order;
	uint64_t now_ms = mono_ms();

	/* Content that is caught up within delay_ms continues the content
	 * before it, as a burst: both make one version, with the authors of
	 * both. */
	s->former.continues = o != NULL && o->catches_up &&
			      s->burst_ms > 0 &&
			      now_ms - s->burst_ms < s->cfg.delay_ms;
	if (s->former.continues)
		revisions_add_authors(s->author, s->signed_by);
	else
		s->burst_ms = o != NULL && o->is_text ? 0 : now_ms;

	s->is_text = o != NULL && o->is_text;
	s->in_effect = !s->is_text || o->in_effect;
	if (author != NULL)
		revisions_add_authors(s->author, author);
	free(author);
}

static void begin(struct save *s, struct orders *over)
{
	int r;

	/* writes the text of the next order, or the present content */
	s->order = STAILQ_FIRST(&s->orders);
	if (s->order != NULL)
		STAILQ_REMOVE_HEAD(&s->orders, link);
	if (s->order != NULL && (s->order->waits ||
				 (s->order->catches_up && !s->dirty))) {
		conclude(s, 0, over);
		return;
	}
	if (s->order != NULL && s->order->is_text) {
		s->text = s->order->text;
		s->len = s->order->len;
		s->order->text = NULL;
	} else {
		s->dirty = false;
		s->due = false;
		ev_timer_stop(s->cfg.loop, &s->timer);
		s->text = s->cfg.text(&s->len, s->cfg.arg);
	}
	/* false as well if the text takes the place of the touched content */
	if (!s->dirty)
		STAILQ_CONCAT(&s->in_flight, &s->touched);
	prepare(s);
	atomic_store(&s->finished, false);
	r = thread_start(&s->thread, write_in_thread, s);
	if (r == 0) {
		s->writing = true;
		return;
	}
	free(s->text);
	s->text = NULL;
	s->burst_ms = 0;
	errmsg_set(&s->error, "cannot start a thread: %s", strerror(-r));
	conclude(s, r, over);
}

/* Logs that the write has overwritten a content which was not in effect, and
 * that a former version is lost. */
static void report_former(struct save *s)
{
	const struct former *f = &s->former;
	const char *path = s->cfg.path;
	unsigned held;

	if (!f->replaced)
		return;
	if (f->is_other && ratelimit_pass(&s->other_limit, mono_ms(), &held))
		log_warning("config", "a change made through the API has "
			    "overwritten an edit or upload in %s, which was "
			    "not in effect%s%s%s", path,
			    f->kept ? ": it is kept as " : "",
			    f->kept ? path : "", f->kept ? ".1" : "");
	if (f->lost.text[0] != '\0' &&
	    ratelimit_pass(&s->lost_limit, mono_ms(), &held))
		log_warning("config", "%s: %s is not kept as a revision: %s",
			    path, f->kept ? "an older version"
					  : "the previous version",
			    f->lost.text);
}

/* Takes the result of the thread, which has ended; returns 0 or -errno. */
static int take_result(struct save *s)
{
	const char *path = s->cfg.path;
	unsigned held;

	s->writing = false;
	if (s->took_ms >= SLOW_MS &&
	    ratelimit_pass(&s->slow_limit, mono_ms(), &held))
		log_warning("config", "%s took %" PRIu64 " s to write: the "
			    "disk is slow", path, s->took_ms / 1000);
	free(s->text);
	s->text = NULL;
	report_former(s);
	if (s->result < 0) {
		s->burst_ms = 0;
		return s->result;
	}
	memcpy(s->signed_by, s->author, sizeof s->signed_by);
	s->author[0] = '\0';
	if (s->told)
		log_info("config", "%s is saved again", path);
	s->told = false;
	s->failed.text[0] = '\0';
	s->retry_ms = s->cfg.retry_min_ms;
	return 0;
}

/* Ends a write whose thread has finished, and begins the next. */
static void advance(struct save *s)
{
	struct orders over = STAILQ_HEAD_INITIALIZER(over);
	struct order *o;

	if (s->writing && atomic_load(&s->finished)) {
		(void)pthread_join(s->thread, NULL);
		conclude(s, take_result(s), &over);
	}
	while (!s->writing && (s->due || !STAILQ_EMPTY(&s->orders)))
		begin(s, &over);
	/* the save may be freed in here: the list is not part of it */
	while ((o = STAILQ_FIRST(&over)) != NULL) {
		STAILQ_REMOVE_HEAD(&over, link);
		report(o, o->result, &o->error);
	}
}

static void on_done(struct ev_loop *loop, ev_async *w, int revents)
{
	(void)loop, (void)revents;
	advance(container_of(w, struct save, done));
}

static void on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct save *s = container_of(w, struct save, timer);

	(void)loop, (void)revents;
	s->due = true;
	advance(s);
}

struct save *save_new(const struct save_config *cfg)
{
	struct save *s = xcalloc(1, sizeof *s);

	s->cfg = *cfg;
	s->cfg.path = xstrdup(cfg->path);
	s->retry_ms = cfg->retry_min_ms;
	s->log_limit = (struct ratelimit){ .burst = 3, .window_ms = 60000 };
	s->lost_limit = s->slow_limit = s->other_limit = s->log_limit;
	STAILQ_INIT(&s->orders);
	STAILQ_INIT(&s->touched);
	STAILQ_INIT(&s->in_flight);
	(void)pthread_mutex_init(&s->end, NULL);
	ev_init(&s->timer, on_timer);
	ev_async_init(&s->done, on_done);
	ev_async_start(cfg->loop, &s->done);
	return s;
}

void save_known(struct save *s, const char *digest)
{
	if (s->writing)
		return;
	(void)snprintf(s->former.known, sizeof s->former.known, "%s", digest);
	s->burst_ms = 0;
}

/* Waits for the thread.  False: the disk does not answer.  The thread then
 * still uses the memory, which is left to the exit, and must not touch the loop
 * any more. */
static bool wait_for_thread(struct save *s)
{
	if (thread_join(s->thread))
		return true;
	(void)pthread_mutex_lock(&s->end);
	s->left = true;
	(void)pthread_mutex_unlock(&s->end);
	log_error("config", "%s: the disk does not answer, the last change "
		  "may be lost", s->cfg.path);
	return false;
}

void save_free(struct save **p)
{
	static const struct errmsg ending = { "the service ends, and saves "
					       "it as the last thing" };
	struct save *s = *p;
	struct order *o;

	*p = NULL;
	if (s == NULL)
		return;
	ev_timer_stop(s->cfg.loop, &s->timer);
	STAILQ_CONCAT(&s->orders, &s->in_flight);
	STAILQ_CONCAT(&s->orders, &s->touched);
	while ((o = STAILQ_FIRST(&s->orders)) != NULL) {
		STAILQ_REMOVE_HEAD(&s->orders, link);
		s->dirty |= o->displaces;
		report(o, -ECANCELED, &ending);
	}
	ev_async_stop(s->cfg.loop, &s->done);
	if (s->writing && !wait_for_thread(s)) {
		report(s->order, -ECANCELED, &ending);
		return;
	}
	if (s->writing) {
		o = s->order;
		s->order = NULL;
		if (take_result(s) < 0) {
			log_failure(s, false);
			s->dirty |= o == NULL || !o->is_text || o->displaces;
		}
		report(o, -ECANCELED, &ending);
	}
	if (s->dirty && !s->cfg.settle) {
		/* in the thread, so that a disk that hangs does not block the
		 * shutdown */
		s->text = s->cfg.text(&s->len, s->cfg.arg);
		prepare(s);
		if (thread_start(&s->thread, write_in_thread, s) < 0)
			(void)write_in_thread(s);
		else if (!wait_for_thread(s))
			return;
		if (take_result(s) < 0)
			log_failure(s, false);
	}
	(void)pthread_mutex_destroy(&s->end);
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

void save_touch_in(struct save *s, unsigned ms)
{
	s->dirty = true;
	arm(s, MIN(ms, s->cfg.delay_ms));
}

unsigned save_left_ms(const struct save *s)
{
	ev_timer *timer = (ev_timer *)(uintptr_t)&s->timer;
	double left = ev_is_active(timer)
			      ? ev_timer_remaining(s->cfg.loop, timer)
			      : 0;

	if (!ev_is_active(timer))
		return 0;
	return left > 1e-3 ? (unsigned)(left * 1e3) : 1;
}

const char *save_error(const struct save *s)
{
	return s->failed.text[0] != '\0' ? s->failed.text : NULL;
}

bool save_is_idle(const struct save *s)
{
	const struct order *o;

	STAILQ_FOREACH(o, &s->orders, link)
		if (!o->waits)
			return false;
	return !s->dirty && !s->writing;
}

bool save_is_writing(const struct save *s)
{
	return !s->dirty && !save_is_idle(s);
}

static struct order *order_new(save_done_fn *done, void *arg)
{
	struct order *o = xcalloc(1, sizeof *o);

	o->done = done;
	o->arg = arg;
	return o;
}

static void add_order(struct save *s, struct order *o)
{
	STAILQ_INSERT_TAIL(&s->orders, o, link);
	/* advance() is called from the loop, so that done is not called in
	 * here */
	ev_feed_event(s->cfg.loop, &s->done, EV_ASYNC);
}

void save_now(struct save *s, save_done_fn *done, void *arg)
{
	s->dirty = true;
	add_order(s, order_new(done, arg));
}

void save_catch_up(struct save *s, save_done_fn *done, void *arg)
{
	struct order *o = order_new(done, arg);

	o->catches_up = true;
	add_order(s, o);
}

void save_wait(struct save *s, save_done_fn *done, void *arg)
{
	struct order *o = order_new(done, arg);

	o->waits = true;
	add_order(s, o);
}

void save_join(struct save *s, save_done_fn *done, void *arg)
{
	struct order *o;

	if (!s->dirty) {
		save_wait(s, done, arg);
		return;
	}
	o = order_new(done, arg);
	STAILQ_INSERT_TAIL(&s->touched, o, link);
	/* the next attempt after a failure may be later */
	if (save_left_ms(s) > s->cfg.delay_ms)
		arm(s, s->cfg.delay_ms);
}

void save_text(struct save *s, char *text, size_t len, bool in_effect,
	       save_done_fn *done, void *arg)
{
	struct order *o = order_new(done, arg);

	o->is_text = true;
	o->in_effect = in_effect;
	o->text = text;
	o->len = len;
	o->displaces = s->dirty;
	s->dirty = false;
	s->due = false;
	ev_timer_stop(s->cfg.loop, &s->timer);
	add_order(s, o);
}
