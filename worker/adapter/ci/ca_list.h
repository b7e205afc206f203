/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the programs that a module descrambles with those that it shall
 * descramble: which CA PMT the module gets next, and with which list
 * management.
 *
 * The first programs are sent as a list (only, or first, more, last).  Later,
 * programs are added, updated and deselected one by one, so that the other
 * programs are not disturbed.  A module that does not support this (`whole')
 * gets the whole list again at each change.  Pure.
 */
#pragma once

#include "worker/adapter/ci/ca_pmt.h"

enum { CA_PROGRAMS_MAX = 64 };

struct ca_program {
	uint16_t number;
	uint16_t len;   /* bytes of section; 0: its PMT was not received yet */
	uint8_t section[CA_PMT_SECTION_MAX];
};

struct ca_programs {
	uint32_t revision; /* changes with each change of the programs */
	size_t n;
	struct ca_program list[CA_PROGRAMS_MAX];
};

struct ca_list {
	unsigned limit; /* largest number of programs that the module can
			 * descramble */
	bool whole;     /* each change sends the whole list */
	struct ca_ids ids;
	struct ca_programs sent;
	size_t batch;   /* the first so many programs of `sent' were sent to the
			 * module; sent.n: all */
	/* nothing is to be sent while the wanted programs have `revision' */
	bool settled;
	uint32_t revision;
};

/* Prepares the list for a module that has no program yet. */
void ca_list_init(struct ca_list *, unsigned limit, bool whole,
		  const struct ca_ids *);

/* Writes the body of the next CA PMT into to (CA_PMT_MAX bytes) and returns its
 * size; 0: nothing is to be sent now. */
size_t ca_list_next(struct ca_list *, const struct ca_programs *wanted,
		    uint8_t *to);

/* Is this program in the list of the module? */
bool ca_list_has(const struct ca_list *, uint16_t number);

enum ca_state {
	CA_STATE_WAITING, /* to be sent to the module */
	CA_STATE_SENT,
	CA_STATE_NO_PMT,
	CA_STATE_CLEAR,
	CA_STATE_FOREIGN, /* scrambled, but with no CAID of the module */
	CA_STATE_OVER,    /* not sent: the module has reached its limit */
};
enum ca_state ca_list_state(const struct ca_list *, const struct ca_program *);
