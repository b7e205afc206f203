/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges passwords: who guesses is locked out, who is right is remembered for
 * a minute, and the work is done by the auth worker.
 *
 * The same credentials from the same address are checked once, however many
 * ask meanwhile.  Of an address no more checks are under way than may fail
 * before it is locked, so that nobody guesses faster in parallel.  A login
 * that does not exist is checked as long as one that does.
 *
 * Owns the checks, the lock and the memory of what was right; borrows the
 * loop, the worker and the configuration.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <stdbool.h>

struct auth_proc;
struct config;
struct ev_loop;
struct gate;
struct gate_wait;

enum {
	GATE_DEADLINE_MS = 5000,
	GATE_CHECKS_MAX = 64,            /* waiting or under way */
	GATE_CHECKS_PER_ADDRESS_MAX = 8,
};

struct gate_config {
	struct ev_loop *loop;
	struct auth_proc *proc;
	const struct config *config;
};

struct gate *gate_new(const struct gate_config *);
/* NULL-safe; sets *g to NULL.  Nobody may wait any more. */
void gate_free(struct gate **);

enum gate_answer {
	GATE_RIGHT,  /* the user exists and this is the password */
	GATE_WRONG,
	GATE_LOCKED, /* not looked at: the address is locked */
	GATE_BUSY,   /* not known in time */
};

/* All borrowed for the call. */
struct gate_question {
	const char *login;
	const char *password;
	const struct ip_address *address;
};

/* What is known without a check: GATE_LOCKED, or GATE_RIGHT. */
bool gate_knows(const struct gate *, const struct gate_question *,
		enum gate_answer *ret);

typedef void gate_done_fn(enum gate_answer, void *arg);

/* Asks what is not known; the answer comes from the loop.  NULL: GATE_BUSY,
 * too many wait already. */
struct gate_wait *gate_ask(struct gate *, const struct gate_question *,
			   gate_done_fn *done, void *arg);

/* Wants no answer any more; NULL-safe; sets *w to NULL.  What is under way
 * still counts. */
void gate_forget(struct gate_wait **);
