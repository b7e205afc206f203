/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/renewal.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "master/auth/auth.h"
#include "master/config/config.h"
#include "master/config/loadable.h"
#include "master/master.h"
#include "common/supervise/fd_store.h"
#include "common/supervise/handover.h"
#include "master/setup/log_output.h"
#include "common/supervise/restart.h"
#include "common/supervise/trial.h"
#include "master/watchdog.h"
#include "common/ws/hub.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	CHECK_MS = 50, /* interval of the check that all is saved */
	CHECKS_MAX = 100,
};

/* A caller that waits for the result of a trial. */
struct waiter {
	TAILQ_ENTRY(waiter) link;
	bool tried; /* by the trial that runs, or: it came later */
	trial_done_fn *done; /* NULL: restart */
	void *arg;
};

struct renewal {
	struct renewal_config cfg;
	bool stopped;
	ev_timer timer; /* runs until all is saved */
	unsigned checks;
	struct trial *trial; /* NULL: none runs */
	TAILQ_HEAD(, waiter) waiters;
	struct errmsg error; /* of the last trial or restart; "": none */
};

static void fail(struct renewal *r, const char *error)
{
	errmsg_set(&r->error, "cannot restart, the running program continues: "
		   "%s", error);
	log_error("master", "%s", r->error.text);
}

/* Returns only after a failure; the event clients are then disconnected. */
static void replace_program(struct renewal *r)
{
	struct handover *h;
	int err;

	log_info("master", "restarting: the streams continue");
	watchdog_report_reloading();
	hub_dismiss_all(r->cfg.hub);
	config_end(r->cfg.config);
	log_output_flush(r->cfg.log);
	h = r->cfg.write(r->cfg.arg);
	fd_store_hand_on(r->cfg.store, h);
	err = restart_exec(r->cfg.program, r->cfg.argv, h);
	fail(r, strerror(-err));
	handover_free(&h);
	watchdog_report_ready();
}

static void begin_trial(struct renewal *r);

/* Answers the waiters of the trial, then restarts if one of them wants it. */
static void finish(struct renewal *r)
{
	const char *error = renewal_error(r);
	struct waiter *w, *next;
	bool restart = false;

	for (w = TAILQ_FIRST(&r->waiters); w != NULL; w = next) {
		next = TAILQ_NEXT(w, link);
		if (!w->tried)
			continue;
		TAILQ_REMOVE(&r->waiters, w, link);
		if (w->done != NULL)
			w->done(error, w->arg);
		else
			restart = true;
		free(w);
	}
	if (restart && error == NULL && !r->stopped)
		replace_program(r);
	if (!TAILQ_EMPTY(&r->waiters))
		begin_trial(r);
}

static void on_trial_end(const char *error, void *arg)
{
	struct renewal *r = arg;

	if (error != NULL)
		fail(r, error);
	else
		r->error.text[0] = '\0';
	trial_free(&r->trial);
	finish(r);
}

static void begin_trial(struct renewal *r)
{
	struct handover *h = r->cfg.write(r->cfg.arg);
	struct errmsg error;
	struct waiter *w;

	TAILQ_FOREACH(w, &r->waiters, link)
		w->tried = true;
	r->trial = trial_start(
		&(struct trial_config){
			.loop = r->cfg.loop,
			.program = r->cfg.program,
			.argv = r->cfg.argv,
			.handover = h,
			.on_end = on_trial_end,
			.arg = r,
		},
		&error);
	handover_free(&h);
	if (r->trial != NULL)
		return;
	fail(r, error.text);
	finish(r);
}

static void wait_for_trial(struct renewal *r, trial_done_fn *done, void *arg)
{
	struct waiter *w = xcalloc(1, sizeof *w);

	w->done = done;
	w->arg = arg;
	TAILQ_INSERT_TAIL(&r->waiters, w, link);
	if (r->trial == NULL)
		begin_trial(r);
}

void renewal_try(struct renewal *r, trial_done_fn *done, void *arg)
{
	if (!r->stopped)
		wait_for_trial(r, done, arg);
	else
		done("the service is stopping", arg);
}

const char *renewal_error(const struct renewal *r)
{
	return r->error.text[0] != '\0' ? r->error.text : NULL;
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct renewal *r = container_of(t, struct renewal, timer);
	bool saved = config_is_saved(r->cfg.config);

	(void)loop, (void)revents;
	if (!(saved && auth_is_saved(r->cfg.auth)) && ++r->checks < CHECKS_MAX)
		return;
	ev_timer_stop(r->cfg.loop, &r->timer);
	if (!saved)
		fail(r, "the configuration cannot be saved");
	else
		wait_for_trial(r, NULL, NULL);
}

static void on_saved(int result, const struct errmsg *error, void *arg)
{
	/* the timer checks again */
	(void)result, (void)error, (void)arg;
}

void renewal_ask(struct renewal *r)
{
	if (r->stopped || ev_is_active(&r->timer))
		return;
	r->checks = 0;
	if (!config_is_saved(r->cfg.config))
		config_save_now(r->cfg.config, on_saved, r);
	ev_timer_set(&r->timer, 0., CHECK_MS / 1e3);
	ev_timer_start(r->cfg.loop, &r->timer);
}

void renewal_stop(struct renewal *r)
{
	struct waiter *w;

	r->stopped = true;
	ev_timer_stop(r->cfg.loop, &r->timer);
	trial_free(&r->trial);
	while ((w = TAILQ_FIRST(&r->waiters)) != NULL) {
		TAILQ_REMOVE(&r->waiters, w, link);
		if (w->done != NULL)
			w->done("the service is stopping", w->arg);
		free(w);
	}
}

int renewal_check(struct handover *h, const char *path)
{
	struct errmsg error = { 0 };
	json_t *document = NULL;
	int err;

	if (h == NULL)
		return MASTER_EXIT_FAILURE; /* logged */
	handover_set_trial(h);
	if (!handover_is_of_our_protocol(h)) {
		log_error("master", "its protocol is not that of the running "
				    "workers: stop and start the service, "
				    "which interrupts all streams");
		return MASTER_EXIT_FAILURE;
	}
	if (path == NULL)
		return 0;
	err = loadable_load(path, &document, &error);
	if (err == 0)
		json_decref(document);
	if (err == 0 || err == -ENOENT)
		return 0;
	log_error("master", "configuration file: %s", error.text);
	return MASTER_EXIT_CONFIG;
}

struct renewal *renewal_new(const struct renewal_config *cfg)
{
	struct renewal *r = xcalloc(1, sizeof *r);

	r->cfg = *cfg;
	TAILQ_INIT(&r->waiters);
	ev_timer_init(&r->timer, on_timer, 0., 0.);
	return r;
}

void renewal_free(struct renewal **renewal)
{
	if (*renewal == NULL)
		return;
	renewal_stop(*renewal);
	free(*renewal);
	*renewal = NULL;
}
