/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PIDs that a source has to receive, if it does not receive all. */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/ca/ca_refs.h"
#include "worker/ts/psi.h"

/*
 * Lists the PIDs to receive: those of the tables that every multiplex has, the
 * network PID of the PAT, with atsc the PID of the tables of ATSC, of each
 * wanted program the PMT, the PCR, the components and the ECMs, and the PIDs
 * that streams name.  PIDs of EMMs (emms, from the CAT: those of the CA systems
 * of the programs, or all if wanted) and PMTs of other programs get the places
 * that are left.  Writes the PIDs ascending, at most max.  Returns how many
 * PIDs there are, which may be more than max.
 */
size_t program_pids(const struct psi *, const struct ca_refs *emms,
		    const struct msg_adapter_programs *, bool atsc,
		    uint16_t *ret, size_t max);
