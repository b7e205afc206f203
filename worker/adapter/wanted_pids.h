/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the tables of a multiplex, and lists the PIDs that a source has to
 * receive for the programs that streams read.  For sources that do not receive
 * all PIDs.
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
	bool atsc;      /* also lists the PID of the tables of ATSC */
	uint16_t inner; /* PID of the T2-MI that contains the programs; 0: no
			 * T2-MI */
	struct ca_refs emms;  /* EMM PIDs of the CAT */
	uint32_t psi_changes; /* psi_changes() at the last list */
	bool stale;           /* since the last list, the tables were reset or
			       * the CAT has changed */
	struct section_assembler cat;
	uint8_t buffer[SECTION_PSI_MAX];
};

void wanted_pids_init(struct wanted_pids *);
/* Takes from an adapter the PID of its T2-MI (t2mi_spec.h), and whether its
 * type is ATSC. */
void wanted_pids_carrier(struct wanted_pids *, const json_t *adapter);
void wanted_pids_done(struct wanted_pids *);
/* Drops the tables, because the next packets are of another multiplex. */
void wanted_pids_reset(struct wanted_pids *);

/* Takes a packet, which may be of any PID. */
void wanted_pids_feed(struct wanted_pids *, const uint8_t *packet);

/* Have the tables changed since the last list was made? */
bool wanted_pids_changed(const struct wanted_pids *);

/* Lists the PIDs of program_pids(), and returns their number, which may be
 * greater than max.  With T2-MI instead lists the PIDs of the PAT, of the T2-MI
 * and of the PMTs, and returns the number of those that fit. */
size_t wanted_pids_list(struct wanted_pids *, uint16_t *ret, size_t max);
