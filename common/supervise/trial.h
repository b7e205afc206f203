/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tries the installed program before a restart: it runs as a child that takes
 * over a copy of the handover and exits.
 *
 * A program that lacks a library, crashes at its start or hangs ends here, and
 * the running program continues.  The child gets the option TRIAL_OPTION, which
 * an older program rejects.  It has copies of the descriptors and sends nothing
 * on them (handover_set_trial()).
 *
 * Owns the child, its output and a timer; borrows the loop.
 */
#pragma once

#include "common/base/errmsg.h"

#define TRIAL_OPTION "--try-handover"

enum { TRIAL_TIMEOUT_MS = 10000 };

struct ev_loop;
struct handover;
struct trial;

struct trial_config {
	struct ev_loop *loop;
	const char *program; /* NULL: the running program */
	char *const *argv;
	const struct handover *handover; /* borrowed for the call */
	/* error: NULL when the program can take over.  code: exit code of the
	 * program; -1: it was killed or hangs.  The trial may be freed
	 * inside. */
	void (*on_end)(const char *error, int code, void *arg);
	void *arg;
};

/* Starts a trial.  NULL with error when no child can be started. */
struct trial *trial_start(const struct trial_config *, struct errmsg *error);

/* NULL-safe; sets *t to NULL.  Kills a child that still runs, with its
 * descendants, as the end of the child does. */
void trial_free(struct trial **t);
