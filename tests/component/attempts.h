/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an attacker tries who runs code of his own in a worker. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The service that is attacked.  The process of the test is its master. */
struct bench {
	char dir[64];
	char config[96], key[96], state[96], other[96], clip[96], media[96];
	int ring; /* read-only */
	pid_t master;
};

/* >= 0: it succeeded. */
typedef long attempt_fn(const struct bench *);

enum {
	FILES = 1,  /* Landlock prevents it */
	MODES = 2,  /* the mode of the file prevents it */
	/* not tried where the role may do it: */
	UDP = 8,
	TCP = 16,
	WRITER = 32,
	NEED = 64, /* no attack, a role needs it */
};

struct attempt {
	const char *name;
	attempt_fn *run;
	unsigned flags;
};

#define ATTEMPT(name, flags) { #name, name, flags }

/* The second part of all attempts, ended by a row without a name. */
extern const struct attempt attempts_kernel[];

/* All attempts one by one: NULL begins, and NULL ends. */
const struct attempt *attempt_next(const struct attempt *);

/* By the name of a row. */
attempt_fn *attempt_find(const char *name);

/* Does a role deny it that may do what the flags say? */
bool attempt_is_attack(const struct attempt *, unsigned may);

/* Enters the sandbox; false: it failed. */
typedef bool attempt_enter_fn(const struct bench *, void *arg);

struct attacker {
	const struct bench *bench;
	attempt_enter_fn *enter;
	void *arg;
};

/* Exit codes.  FAILED: for another reason than a sandbox. */
enum {
	ATTEMPT_DONE = 10,
	ATTEMPT_DENIED,
	ATTEMPT_FAILED,
	ATTEMPT_NOT_CONFINED,
};

/* Makes the attempt in a process of its own, which enters the sandbox first;
 * run may be NULL.  Returns the wait status: one of the exit codes above, or a
 * signal.  said receives the message that the process sent on the channel. */
int attempt_try(const struct attacker *, attempt_fn *run, char *said,
		size_t size);

bool attempt_was_denied(int status);
