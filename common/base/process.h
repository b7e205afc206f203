/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protects this process from other processes of the same user. */
#pragma once

#include "common/base/util.h"

/* No core file; no other process may read or trace the memory (ptrace(2)), or
 * end this one by SIGIO (F_SETOWN of fcntl(2)).  Call it at the start.  The
 * files of the process in /proc belong to root from then on.  0 or -errno. */
int process_shield(void) MUST_CHECK;
