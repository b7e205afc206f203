/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The start of every worker program: checks its arguments, sets its name, drops
 * privileges and runs the role.
 */
#pragma once

#include "worker/core/worker.h"

/* Arguments: PROGRAM ROLE OBJECT.  roles: those of this program, ended by NULL.
 * Returns the exit code of the program. */
int worker_start(const struct worker_role *const *roles, int argc,
		 char **argv);
