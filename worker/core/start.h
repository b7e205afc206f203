/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every worker program does before a role takes over: judges how it was
 * started, takes its name, gives up privileges.
 */
#pragma once

#include "worker/core/worker.h"

/* PROGRAM ROLE OBJECT, with the roles that this program has, NULL behind the
 * last.  The exit code of the program. */
int worker_start(const struct worker_role *const *roles, int argc,
		 char **argv);
