/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The system calls that a role makes (seccomp(2)); one table names them.
 *
 * Any other call ends the process with SIGSYS, after a line in the log that
 * names the call.  A call that a library can do without fails instead: to get
 * executable memory, to open a Unix socket, or to open a file in a role that
 * opens none.
 */
#pragma once

#include "common/base/util.h"

/* Sets the filter for the needs of the role (enum sandbox_need), for all
 * threads.  Needs no_new_privs.  0 or -errno.  Does nothing in a build with
 * sanitizers, which need calls of their own. */
int syscalls_confine(unsigned needs) MUST_CHECK;
