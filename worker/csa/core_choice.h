/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the core of a process (core.h): the fastest one that this processor
 * can run and that agrees with libdvbcsa.
 *
 * A proof takes milliseconds.  So a stage chooses when it starts, before its
 * first packet, and all stages of a process share the choice.
 */
#pragma once

#include <stdbool.h>

struct csa_core;

/* At first all zero. */
struct csa_choice {
	bool made;
	const struct csa_core *core; /* NULL: libdvbcsa alone */
};

/* Returns the core; NULL: only libdvbcsa is usable.  The first call proves the
 * cores.  A core that is wrong on this processor is logged and not taken. */
const struct csa_core *csa_choose(struct csa_choice *);
