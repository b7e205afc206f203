/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control process: builds its parts in the order of their dependence, runs
 * the loop, frees the parts.
 */
#pragma once

#include "common/base/util.h"

struct options;

enum {
	MASTER_EXIT_FAILURE = 1, /* try again later: a port in use */
	MASTER_EXIT_CONFIG = 78, /* the configuration must be corrected */
};

/* Returns the exit code after SIGTERM or SIGINT, or when it cannot start. */
int master_run(const struct options *) MUST_CHECK;
