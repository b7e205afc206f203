/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks passwords: the auth worker hashes, repeated failures lock an address
 * or a login, and a verified password is remembered for a minute.
 *
 * Equal credentials from one address are checked once by a door, whatever the
 * number of requests.  An address or login never has more checks in progress
 * than may fail before it is locked, so that guessing in parallel is no
 * faster.  A check of an unknown login takes as long as that of a known one.
 *
 * Many viewers may be behind one address.  A password that was right from there
 * within an hour admits viewers also while the address or the login is locked.
 * A wrong one of a viewer counts once a minute, however often its player
 * repeats the request.  The control interface has no such exceptions: its
 * contract locks the address for every password, and sessions continue.
 *
 * The control interface and the viewers use one gate, because they check the
 * same passwords.  A guess locks its address and its login at its own door, so
 * that viewers cannot lock a user out of the control interface, also from
 * behind the same address.  Each door has a queue of its own, so that viewers
 * cannot fill that of the control interface, and its checks are made first.
 *
 * Owns the checks, the lock and the remembered passwords; borrows the loop,
 * the worker and the configuration.
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
	GATE_DEADLINE_MS = 5000, /* a request waits so long, a check longer */
	/* waiting or in progress, of a door */
	GATE_CHECKS_MAX = 64,
	GATE_CHECKS_PER_ADDRESS_MAX = 8,
};

struct gate_config {
	struct ev_loop *loop;
	struct auth_proc *proc;
	const struct config *config;
};

struct gate *gate_new(const struct gate_config *);
/* NULL-safe; sets *g to NULL.  No request may wait. */
void gate_free(struct gate **);

enum gate_answer {
	GATE_RIGHT,  /* the user exists and this is the password */
	GATE_WRONG,
	GATE_LOCKED, /* the address or login is locked: no check was made */
	GATE_BUSY,   /* no result in time */
};

enum gate_door { GATE_CONTROL, GATE_VIEWERS, GATE_DOORS };

/* All borrowed for the call. */
struct gate_question {
	const char *login;
	const char *password;
	const struct ip_address *address;
	enum gate_door door;
};

/* A user that may enter uses a session of this login from this address: it can
 * enter from there while the login is locked. */
void gate_keep(struct gate *, const char *login, const struct ip_address *);

/* True with an answer: no check is needed. */
bool gate_knows(struct gate *, const struct gate_question *,
		enum gate_answer *ret);

typedef void gate_done_fn(enum gate_answer, void *arg);

/* Starts a check; the answer comes from the loop.  NULL: GATE_BUSY, too many
 * requests wait already. */
struct gate_wait *gate_ask(struct gate *, const struct gate_question *,
			   gate_done_fn *done, void *arg);

/* Cancels the answer, not the check: a failure still counts.  NULL-safe; sets
 * *w to NULL. */
void gate_forget(struct gate_wait **);
