/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PIDs that a source has to receive, if it does not receive all. */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/ca/ca_refs.h"
#include "worker/ts/psi.h"

/*
 * The PIDs of the tables that every multiplex has, and the network PID of the
 * PAT; those of the programs: PMT, PCR, components and ECMs; and those that
 * streams name.  Those of their EMMs (emms, of the CAT; all of them if wanted)
 * and the PMTs of others take the places that are left.  atsc: and the PID of
 * the tables of ATSC.  Writes the first ones, ascending, at most max.  Returns
 * how many there are, which may be more.
 */
size_t program_pids(const struct psi *, const struct ca_refs *emms,
		    const struct msg_adapter_programs *, bool atsc,
		    uint16_t *ret, size_t max);
