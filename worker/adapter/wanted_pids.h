/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Follows the tables of a multiplex, and lists the PIDs that a source has to
 * receive for the programs that streams read, if it does not receive all.
 *
 * Embedded.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/ca/ca_refs.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

enum { CAT_PID = 1 };

struct wanted_pids {
	struct psi *psi; /* PAT and PMTs */
	struct msg_adapter_programs programs;
	bool atsc;      /* has the tables of ATSC, too */
	uint16_t inner; /* PID of the T2-MI that has the programs; 0: none */
	struct ca_refs emms;  /* of the CAT */
	uint32_t psi_changes; /* of psi, as of the last list */
	bool stale;           /* the last list lacks other changes */
	struct section_assembler cat;
	uint8_t buffer[SECTION_PSI_MAX];
};

void wanted_pids_init(struct wanted_pids *);
/* Takes the keys of T2-MI of an adapter (t2mi_spec.h), and its type. */
void wanted_pids_carrier(struct wanted_pids *, const json_t *adapter);
void wanted_pids_done(struct wanted_pids *);
/* Forgets the tables, because the next packets are of another multiplex. */
void wanted_pids_reset(struct wanted_pids *);

/* Takes a packet, which may be of any PID. */
void wanted_pids_feed(struct wanted_pids *, const uint8_t *packet);

/* Have the tables changed since the last list? */
bool wanted_pids_changed(const struct wanted_pids *);

/* Lists the PIDs as program_pids() does; with T2-MI the PID of the T2-MI and
 * those of PAT and PMTs. */
size_t wanted_pids_list(struct wanted_pids *, uint16_t *ret, size_t max);
