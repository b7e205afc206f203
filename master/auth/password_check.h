/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks passwords: the auth worker hashes, repeated failures lock an address
 * or a login, and a verified password is remembered for a minute.
 *
 * Requests with the same credential from the same address and by the same door
 * share one check.  (The doors are the control interface and the viewers.)  An
 * address or login never has more checks in progress than may fail before it is
 * locked, so that guessing in parallel is no faster.  A check of an unknown
 * login takes as long as that of a known one.
 *
 * Many viewers may be behind one address.  A password that was right from there
 * within an hour admits viewers even while the address or the login is locked.
 * A wrong password of a viewer counts once a minute, however often its player
 * repeats the request.  The control interface has no such exceptions: its
 * contract locks the address for every password, and sessions continue.  A
 * wrong password for whose result no request waited, because its answer was
 * GATE_BUSY, does not count again within a minute.
 *
 * The control interface and the viewers use one struct gate, because they check
 * the same passwords.  A guess locks its address and its login only at its own
 * door, so that viewers cannot lock a user out of the control interface, even
 * from behind the same address.  Each door has a queue of its own, so that
 * viewers cannot fill the queue of the control interface, whose checks come
 * first.
 *
 * Owns the checks, the locks and the remembered passwords; borrows the loop,
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
	GATE_DEADLINE_MS = 5000, /* limit of the wait of a request */
	/* Limit of checks of a door that wait or are in progress. */
	GATE_CHECKS_MAX = 64,
	GATE_CHECKS_PER_ADDRESS_MAX = 8,
};

struct gate_config {
	struct ev_loop *loop;
	struct auth_proc *proc;
	const struct config *config;
};

struct gate *gate_new(const struct gate_config *);
/* NULL-safe; sets *g to NULL.  No request may be waiting. */
void gate_free(struct gate **);

enum gate_answer {
	GATE_RIGHT,  /* the user exists, and the password is right */
	GATE_WRONG,
	GATE_LOCKED, /* the address or login is locked; nothing was checked */
	GATE_BUSY,   /* no result in time, or not checked */
};

enum gate_door { GATE_CONTROL, GATE_VIEWERS, GATE_DOORS };

/* All members are borrowed for the call. */
struct gate_question {
	const char *login;
	const char *password;
	const struct ip_address *address;
	enum gate_door door;
};

/* Call it when a user uses a session of this login from this address: then the
 * user may log in from there even while the login is locked. */
void gate_keep(struct gate *, const char *login, const struct ip_address *);

/* True: the answer is already known.  False: call gate_ask(). */
bool gate_knows(struct gate *, const struct gate_question *,
		enum gate_answer *ret);

typedef void gate_done_fn(enum gate_answer, void *arg);

/* Starts a check, or joins one; done gets the answer from the loop.  NULL: too
 * many requests wait (answer GATE_BUSY). */
struct gate_wait *gate_ask(struct gate *, const struct gate_question *,
			   gate_done_fn *done, void *arg);

/* Cancels the answer, but not a check that the worker has begun: its failure
 * still counts.  NULL-safe; sets *w to NULL. */
void gate_forget(struct gate_wait **);
