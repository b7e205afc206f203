/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the packets of a multiplex that one of its programs needs: PAT, the
 * PIDs below 0x20, the NIT, the base PID of ATSC, and of the program PMT, PCR,
 * components and ECMs.  Receivers of ATSC tune by the tables of the base PID,
 * which remux.h reduces to the program.
 *
 * All packets are chosen until the PAT is known, and if it has a single
 * program: there is little to save, and null packets keep the rate.  The
 * choice follows the tables with each packet, so a PID that a PMT adds lacks
 * no packet behind that PMT.  While a PMT moves to another PID, the last one
 * counts.
 *
 * Pure.
 */
#pragma once

#include "worker/ts/packet.h"

enum { PROGRAM_CHOICE_PIDS = 2 };

/* Plain data; zeroed memory chooses all packets. */
struct program_choice {
	uint16_t number; /* program_number; 0: all packets */
	bool emms;       /* chooses the EMM PIDs of the CAT, too */
	bool tables;     /* chooses the PMTs of all programs, too */
	/* further PIDs; 0: none */
	uint16_t pids[PROGRAM_CHOICE_PIDS];
};

struct program_filter;

/* Makes a filter for a program, whose number is not 0. */
struct program_filter *program_filter_new(const struct program_choice *);
/* NULL-safe; sets *f to NULL. */
void program_filter_free(struct program_filter **);

/* Replaces the choice, except its program, which stays the same. */
void program_filter_change(struct program_filter *,
			   const struct program_choice *);

/* For each PID: 0 if its packets are not chosen, PROGRAM_TABLE if the filter
 * reads them as well.  The address is fixed for the life of the filter. */
enum { PROGRAM_PASS = 1, PROGRAM_TABLE = 2 };
const uint8_t *program_filter_marks(const struct program_filter *);

/* Takes a packet of a PID with PROGRAM_TABLE.  The marks may change. */
void program_filter_feed(struct program_filter *, const uint8_t *packet);
