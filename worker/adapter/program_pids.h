/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PIDs that a source has to receive, if it does not receive all. */
#pragma once

#include "worker/ts/psi.h"

/* Writes the PIDs of the tables that every multiplex has and those of its
 * programs, ascending, at most max.  Returns their number. */
size_t program_pids(const struct psi *, uint16_t *ret, size_t max);
