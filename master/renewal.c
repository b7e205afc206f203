/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/renewal.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/document/file_state.h"
#include "common/loop/timer.h"
#include "master/auth/auth.h"
#include "master/config/config.h"
#include "master/master.h"
#include "master/renewal_file.h"
#include "common/supervise/fd_store.h"
#include "common/supervise/handover.h"
#include "master/setup/log_output.h"
#include "master/status/history.h"
#include "master/streams/epg_proc.h"
#include "common/supervise/restart.h"
#include "master/setup/options.h"
#include "common/supervise/trial.h"
#include "common/supervise/worker_path.h"
#include "common/supervise/worker_trial.h"
#include "master/watchdog.h"
#include "common/ws/hub.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	/* interval of the checks whether configuration, sessions and guide are
	 * saved */
	CHECK_MS = 50,
	CHECKS_MAX = 100,
	/* greatest number of trials for a restart; a trial is repeated if the
	 * configuration or the program has changed during it */
	TRIALS_MAX = 3,
	RESULT_MS = 10000, /* time for which the result of a trial is valid */
};

/* When the error of a restart ends.  Each error ends with the next trial that
 * succeeds. */
enum lasting {
	UNTIL_SUCCESS,
	UNTIL_SAVED, /* also when the configuration is saved */
	/* also when a change or a reload has replaced the faulty file */
	UNTIL_REPLACED,
};

/* A caller that waits for the result of a trial. */
struct waiter {
	TAILQ_ENTRY(waiter) link;
	/* the running trial answers this caller; false: the next trial does */
	bool tried;
	bool interrupt; /* workers of another protocol may be replaced */
	trial_done_fn *done; /* NULL: a restart follows the trial */
	void *arg;
};

struct renewal {
	struct renewal_config cfg;
	bool stopped;
	/* runs until configuration, sessions and guide are saved, for at most
	 * CHECKS_MAX checks */
	ev_timer timer;
	unsigned checks;
	unsigned flushed; /* config_versions() at the last config_flush() */
	bool without_sessions; /* the sessions could not be saved in time */
	bool without_guide;    /* the guide could not be saved in time */
	struct trial *trial; /* NULL: none runs */
	bool trial_interrupts; /* the running trial may interrupt streams */
	/* a trial that may interrupt streams has succeeded, so the restart that
	 * follows may interrupt them */
	bool interrupt;
	unsigned tried;  /* config_versions() at the start of the trial */
	/* program file at the start of the trial */
	struct file_state tried_program;
	/* configuration file at the start of the trial */
	struct file_state tried_file;
	/* monotonic time when the last trial succeeded; 0: it did not */
	uint64_t passed_ms;
	/* number of trials of this restart whose results were outdated */
	unsigned trials;
	ev_timer answer; /* answers waiters if no trial can run */
	TAILQ_HEAD(, waiter) waiters;
	/* why the last trial or restart failed; "": it did not */
	struct errmsg error;
	enum lasting lasting; /* when the error ends */
	/* config_changes() up to the state of the file in the last trial */
	unsigned judged;
};

static void fail(struct renewal *r, const char *error, enum lasting lasting)
{
	r->lasting = lasting;
	r->passed_ms = 0;
	errmsg_set(&r->error, "cannot restart, the running program continues: "
		   "%s", error);
	log_error("master", "%s", r->error.text);
}

/* The restart has failed.  The next restart may interrupt streams only if its
 * own request permits it. */
static void give_up(struct renewal *r)
{
	r->trials = 0;
	r->interrupt = false;
	if (!r->stopped)
		r->cfg.on_fail(r->cfg.api);
}

static void fail_restart(struct renewal *r, const char *error,
			 enum lasting lasting)
{
	fail(r, error, lasting);
	give_up(r);
}

/* Replaces the program; returns only after a failure.  Event clients are
 * disconnected even then. */
static void replace_program(struct renewal *r)
{
	struct handover *h;
	int hours, err;

	log_info("master", "restarting: the streams %s",
		 r->interrupt ? "are interrupted if the installed program has "
				"another protocol for its workers"
			      : "continue");
	watchdog_report_reloading();
	hub_dismiss_all(r->cfg.hub);
	config_end(r->cfg.config);
	h = r->cfg.write(r->cfg.arg);
	fd_store_hand_on(r->cfg.store, h);
	/* after fd_store_hand_on(): the service manager does not get this part,
	 * which would be outdated after a crash */
	renewal_file_put_running(r->cfg.config, h);
	hours = history_write_hours(r->cfg.history, h);
	/* the thread of the log ends with this program */
	log_output_flush(r->cfg.log);
	err = restart_exec(r->cfg.program, r->cfg.argv, h);
	fail_restart(r, strerror(-err), UNTIL_SUCCESS);
	fd_close(&hours);
	handover_free(&h);
	watchdog_report_ready();
}

static bool is_saved(const struct renewal *r)
{
	return config_is_saved(r->cfg.config) &&
	       (r->without_sessions || auth_is_saved(r->cfg.auth)) &&
	       (r->without_guide || epg_proc_is_flushed(r->cfg.epg));
}

static void flush(struct renewal *r)
{
	r->flushed = config_versions(r->cfg.config);
	config_flush(r->cfg.config);
}

static void wait_until_saved(struct renewal *r)
{
	if (ev_is_active(&r->timer))
		return;
	r->checks = 0;
	r->without_sessions = r->without_guide = false;
	flush(r);
	epg_proc_flush(r->cfg.epg);
	timer_repeat(r->cfg.loop, &r->timer, 0., CHECK_MS / 1e3);
}

/* True: a trial with the present configuration, configuration file and program
 * has succeeded less than RESULT_MS ago. */
static bool is_tried(const struct renewal *r)
{
	if (r->trial != NULL || r->passed_ms == 0 ||
	    mono_ms() - r->passed_ms >= RESULT_MS ||
	    config_versions(r->cfg.config) != r->tried)
		return false;
	return file_state_is(&r->tried_program, r->cfg.program) &&
	       file_state_is(&r->tried_file, config_path(r->cfg.config));
}

/* The trial has succeeded: restarts.  If the configuration, the sessions or a
 * file has changed during the trial, saves the changes and repeats the trial
 * (TRIALS_MAX). */
static void restart_or_repeat(struct renewal *r)
{
	if (is_saved(r) && is_tried(r)) {
		r->trials = 0;
		replace_program(r);
		return;
	}
	r->trials++;
	log_info("master", "restart delayed: the configuration or the login "
			   "sessions changed during the trial of the installed "
			   "program: the trial is repeated");
	wait_until_saved(r);
}

static void answer_later(struct renewal *r)
{
	timer_start(r->cfg.loop, &r->answer, 0.);
}

static void begin_trial(struct renewal *r);

/* Returns the last error; NULL: none. */
static const char *last_error(const struct renewal *r)
{
	return r->error.text[0] != '\0' ? r->error.text : NULL;
}

/* Answers the waiters of the trial.  If one of them wants a restart and the
 * trial succeeded, restarts.  Then begins the trial of later waiters. */
static void finish(struct renewal *r)
{
	const char *error = r->stopped ? "the service is stopping"
				       : last_error(r);
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
	if (restart && error == NULL)
		restart_or_repeat(r);
	else if (restart)
		give_up(r);
	if (!TAILQ_EMPTY(&r->waiters))
		begin_trial(r);
}

static void on_trial_end(const char *error, int code, void *arg)
{
	struct renewal *r = arg;

	if (error != NULL)
		fail(r, error, code == RENEWAL_EXIT_OTHER_FILE
				       ? UNTIL_REPLACED : UNTIL_SUCCESS);
	else
		r->error.text[0] = '\0';
	r->passed_ms = error == NULL ? mono_ms() : 0;
	r->interrupt |= error == NULL && r->trial_interrupts;
	trial_free(&r->trial);
	finish(r);
}

static void begin_trial(struct renewal *r)
{
	bool interrupt = TAILQ_FIRST(&r->waiters)->interrupt;
	struct handover *h = r->cfg.write(r->cfg.arg);
	struct errmsg error;
	struct waiter *w;

	if (interrupt)
		handover_allow_interruption(h);
	renewal_file_put_known(r->cfg.config, h);
	r->trial_interrupts = interrupt;
	r->passed_ms = 0;
	r->tried = config_versions(r->cfg.config);
	r->judged = config_changes(r->cfg.config);
	if (!config_is_saved(r->cfg.config))
		r->judged--; /* the file does not have the last change yet */
	file_state_read(&r->tried_program, r->cfg.program);
	file_state_read(&r->tried_file, config_path(r->cfg.config));
	TAILQ_FOREACH(w, &r->waiters, link)
		w->tried = w->interrupt == interrupt;
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
	fail(r, error.text, UNTIL_SUCCESS);
	answer_later(r);
}

static void on_answer(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	finish(container_of(t, struct renewal, answer));
}

static void wait_for_trial(struct renewal *r, bool interrupt,
			   trial_done_fn *done, void *arg)
{
	struct waiter *w = xcalloc(1, sizeof *w);

	w->interrupt = interrupt;
	w->done = done;
	w->arg = arg;
	TAILQ_INSERT_TAIL(&r->waiters, w, link);
	w->tried = r->stopped;
	if (r->stopped)
		answer_later(r);
	else if (r->trial == NULL && !ev_is_active(&r->answer))
		begin_trial(r);
}

void renewal_try(struct renewal *r, bool interrupt, trial_done_fn *done,
		 void *arg)
{
	wait_for_trial(r, interrupt, done, arg);
}

const char *renewal_error(struct renewal *r)
{
	const struct config *config = r->cfg.config;
	bool ends = false;

	if (r->lasting == UNTIL_SAVED)
		ends = config_is_saved(config);
	else if (r->lasting == UNTIL_REPLACED)
		ends = config_changes(config) != r->judged &&
		       config_is_saved(config);
	/* forgets the error, so that a later change which is not saved yet does
	 * not show it again */
	if (ends)
		r->error.text[0] = '\0';
	return last_error(r);
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct renewal *r = container_of(t, struct renewal, timer);
	unsigned trials = r->trials;

	(void)loop, (void)revents;
	if (config_versions(r->cfg.config) != r->flushed)
		flush(r);
	if (!is_saved(r) && ++r->checks < CHECKS_MAX)
		return;
	ev_timer_stop(r->cfg.loop, &r->timer);
	r->without_sessions = !auth_is_saved(r->cfg.auth);
	r->without_guide = !epg_proc_is_flushed(r->cfg.epg);
	if (r->without_guide)
		log_warning("epg", "restart: the last changes of the programme "
				   "guide are not saved: its process did not "
				   "answer in time");
	if (is_saved(r) && !is_tried(r) && trials < TRIALS_MAX) {
		wait_for_trial(r, r->interrupt, NULL, NULL);
		return;
	}
	r->trials = 0;
	if (is_saved(r))
		/* after TRIALS_MAX trials no further one: the program was
		 * tried, and the API judged the last changes */
		replace_program(r);
	else
		fail_restart(r, "the configuration cannot be saved",
			     UNTIL_SAVED);
}

void renewal_ask(struct renewal *r)
{
	if (!r->stopped)
		wait_until_saved(r);
}

void renewal_stop(struct renewal *r)
{
	struct waiter *w;

	r->stopped = true;
	ev_timer_stop(r->cfg.loop, &r->timer);
	ev_timer_stop(r->cfg.loop, &r->answer);
	trial_free(&r->trial);
	while ((w = TAILQ_FIRST(&r->waiters)) != NULL) {
		TAILQ_REMOVE(&r->waiters, w, link);
		if (w->done != NULL)
			w->done("the service is stopping", w->arg);
		free(w);
	}
}

int renewal_check(struct handover *h, const struct options *options)
{
	struct errmsg error = { 0 };
	int code = 0, err;
	char *path;

	if (h == NULL)
		return MASTER_EXIT_FAILURE; /* the reason was logged */
	handover_set_trial(h);
	if (!handover_is_of_our_protocol(h) &&
	    !handover_allows_interruption(h)) {
		log_error("master", "the installed program has another "
				    "protocol than the running workers: "
				    "restart with interrupt: true replaces "
				    "them, which interrupts all streams");
		return MASTER_EXIT_FAILURE;
	}
	if (options->config_path != NULL)
		code = renewal_file_check(options, h);
	if (code != 0)
		return code;
	path = worker_path_find(&error);
	err = path != NULL ? worker_trial(path, &error) : -ENOENT;
	free(path);
	if (err == 0)
		return 0;
	log_error("master", "%s", error.text);
	return MASTER_EXIT_FAILURE;
}

struct renewal *renewal_new(const struct renewal_config *cfg)
{
	struct renewal *r = xcalloc(1, sizeof *r);

	r->cfg = *cfg;
	TAILQ_INIT(&r->waiters);
	ev_init(&r->timer, on_timer);
	ev_init(&r->answer, on_answer);
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
