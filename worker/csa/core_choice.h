/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the core of a process (core.h): the fastest one that this processor
 * can run and that gives the same results as libdvbcsa.
 *
 * The comparison takes milliseconds.  So a stage chooses when it starts, before
 * its first packet, and all stages of a process share the choice.
 */
#pragma once

#include <stdbool.h>

struct csa_core;

/* All zero before the first csa_choose(). */
struct csa_choice {
	bool made;
	const struct csa_core *core; /* NULL: only libdvbcsa is used */
};

/* Returns the core; NULL: only libdvbcsa is used.  The first call compares the
 * cores with libdvbcsa.  A core with wrong results is logged and not used. */
const struct csa_core *csa_choose(struct csa_choice *);
