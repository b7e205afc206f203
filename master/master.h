/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control process: makes its parts in the order of their dependence, runs
 * the loop, and frees the parts.
 */
#pragma once

#include "common/base/util.h"

struct options;

enum {
	/* a later start may succeed: for instance, a port is in use */
	MASTER_EXIT_FAILURE = 1,
	MASTER_EXIT_CONFIG = 78, /* the configuration must be corrected */
};

/* Runs the service.  Returns the exit code after SIGTERM or SIGINT, or at once
 * if the service cannot start.  In a trial it does not return: it ends the
 * process with the code. */
int master_run(const struct options *) MUST_CHECK;
