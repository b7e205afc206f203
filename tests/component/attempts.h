/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an attacker tries who runs code of his own in a worker. */
#pragma once

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

/* Ended by a row without a name. */
extern const struct attempt attempts[];

/* By the name of a row. */
attempt_fn *attempt_find(const char *name);
