/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programs that a module descrambles, against those that it shall: which
 * CA PMT it gets next, and with which list management.
 *
 * The first programs are a list (only, or first, more, last); after it programs
 * are added, updated and deselected one by one, so that the others are not
 * disturbed.  A module that understands neither gets the whole list anew.
 * Pure.
 */
#pragma once

#include "worker/adapter/ci/ca_pmt.h"

enum { CA_PROGRAMS_MAX = 64 };

struct ca_program {
	uint16_t number;
	uint16_t len;   /* 0: its PMT was not received yet */
	uint8_t section[CA_PMT_SECTION_MAX];
};

struct ca_programs {
	uint32_t revision; /* another one after each change */
	size_t n;
	struct ca_program list[CA_PROGRAMS_MAX];
};

struct ca_list {
	unsigned limit; /* programs that the module can do */
	bool whole;     /* each change sends all */
	struct ca_ids ids;
	struct ca_programs sent;
	size_t batch;   /* of sent, those that the module has; sent.n: all */
	bool settled;   /* for this revision there is nothing to send */
	uint32_t revision;
};

/* Prepares the list for a module that knows no program yet. */
void ca_list_init(struct ca_list *, unsigned limit, bool whole,
		  const struct ca_ids *);

/* Writes the value of the next CA PMT into to (CA_PMT_MAX bytes) and returns
 * its size; 0: the module has all programs. */
size_t ca_list_next(struct ca_list *, const struct ca_programs *wanted,
		    uint8_t *to);

/* Is this program in the list of the module? */
bool ca_list_has(const struct ca_list *, uint16_t number);

enum ca_state {
	CA_STATE_WAITING, /* it is not sent to the module yet */
	CA_STATE_SENT,
	CA_STATE_NO_PMT,
	CA_STATE_CLEAR,
	CA_STATE_FOREIGN, /* of no CAID of the module */
	CA_STATE_OVER,    /* the module has its limit */
};
enum ca_state ca_list_state(const struct ca_list *, const struct ca_program *);
