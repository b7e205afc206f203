/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the PIDs that a source receives if it cannot receive all. */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/ca/ca_refs.h"
#include "worker/ts/psi.h"

/*
 * Lists the PIDs to receive: those of the tables that every multiplex has, the
 * network PID of the PAT, with `atsc' the PID of the tables of ATSC, and the
 * PIDs that streams name.  Of each wanted program, it lists PMT, PCR,
 * components and ECMs.
 *
 * EMM PIDs (emms: those of the CAT), and the PMTs of other programs if streams
 * want all PMTs, are listed only if there is room for them beside the PIDs
 * above.  EMM PIDs are those of the CA systems of the wanted programs, or all
 * if streams want all.
 *
 * Writes at most max PIDs in ascending order.  Returns the number of all PIDs,
 * which may be greater than max.
 */
size_t program_pids(const struct psi *, const struct ca_refs *emms,
		    const struct msg_adapter_programs *, bool atsc,
		    uint16_t *ret, size_t max);
