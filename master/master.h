/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control process: builds its parts in the order in which they need each
 * other, runs the loop, takes them down again.
 */
#pragma once

#include "common/base/util.h"

struct options;

enum {
	MASTER_EXIT_FAILURE = 1, /* try again later: a port in use */
	MASTER_EXIT_CONFIG = 78, /* a person must mend the configuration */
};

/* Returns the exit code after SIGTERM or SIGINT, or when it cannot start. */
int master_run(const struct options *) MUST_CHECK;
