/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces the master by the installed program, after the configuration was
 * saved and a trial of the program succeeded (common/supervise/trial.h).
 *
 * Owns a timer and a trial; borrows everything in its config.
 */
#pragma once

#include "master/api/api.h"

#include <stdbool.h>

struct auth;
struct config;
struct epg_proc;
struct ev_loop;
struct fd_store;
struct handover;
struct history;
struct hub;
struct log_output;
struct options;
struct renewal;

struct renewal_config {
	struct ev_loop *loop;
	const char *program; /* path of this program; NULL: unknown */
	char *const *argv;
	struct auth *auth;
	struct config *config;
	struct hub *hub;
	struct log_output *log;
	struct fd_store *store;
	struct epg_proc *epg; /* NULL: no guide */
	const struct history *history;
	/* Writes the present state for the next master; the renewal frees the
	 * handover. */
	struct handover *(*write)(void *arg);
	void *arg;
	/* A requested restart has failed, so this program continues. */
	void (*on_fail)(struct api *);
	struct api *api;
};

struct renewal *renewal_new(const struct renewal_config *);
/* NULL-safe; sets *r to NULL. */
void renewal_free(struct renewal **);

/* Requests a restart; returns at once.  A failure is logged, and this program
 * continues. */
void renewal_ask(struct renewal *);

/* Runs a trial of the installed program with the saved file; done is called
 * with the result, from the loop or by renewal_stop().  interrupt: the trial
 * also succeeds for a program with another protocol, which would replace all
 * workers. */
void renewal_try(struct renewal *, bool interrupt, trial_done_fn *done,
		 void *arg);

/* Returns why the last trial or restart failed, in one sentence; NULL: it did
 * not, or the reason has ended. */
const char *renewal_error(struct renewal *);

/* For shutdown: drops the requests for a restart.  Requests of renewal_try(),
 * including later ones, get an error. */
void renewal_stop(struct renewal *);

/* Judges in a trial whether the restart may follow.  Called in the new program,
 * with the handover that it received (NULL: none; this was logged).  Returns 0,
 * or an exit code after a line in the log.  Rejects a damaged file, a file with
 * errors that is not from the running service, workers of another protocol
 * unless the restart may interrupt the streams, and a worker program that does
 * not run. */
int renewal_check(struct handover *, const struct options *);
