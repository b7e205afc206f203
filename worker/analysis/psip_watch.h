/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the PIDs of the tables of ATSC (A/65): the base PID, once a table of
 * A/65 has arrived on it, and those that its master guide table (MGT) lists.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/ts/section.h"

#include <stdbool.h>

struct psip_watch {
	struct section_assembler assembler;
	bool is_atsc;        /* the base PID has tables of A/65 */
	uint64_t changed_ns; /* the last change of the PIDs; 0: never */
	uint64_t listed[TS_PIDS / 64]; /* a bit for each PID of the MGT */
	uint8_t buffer[SECTION_MAX];
};

void psip_watch_init(struct psip_watch *);
/* Takes a packet of the base PID (SI_PID_PSIP). */
void psip_watch_feed(struct psip_watch *, const uint8_t *packet,
		     uint64_t now_ns);
/* Is the PID the base PID, or does the MGT list it? */
bool psip_watch_has(const struct psip_watch *, uint16_t pid);
