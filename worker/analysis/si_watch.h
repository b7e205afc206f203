/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches the tables of EN 300 468 and the CAT: notes the time at which each
 * table last arrived, and counts errors of their CRC_32.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

enum {
	SI_PIDS = 5, /* CAT, NIT, SDT, EIT, TDT */
	SI_CAT_MAX = SECTION_PSI_MAX,
};

struct si_watch {
	struct section_assembler assemblers[SI_PIDS];
	uint64_t seen_ns[SI_TABLES]; /* last arrival by table; 0: none yet */
	/* sections of other tables on the PID of the CAT in this second */
	uint32_t wrong_cat;
	uint32_t errors_before;  /* errors at the last si_watch_errors() */
	uint8_t cat[SI_CAT_MAX]; /* the last CAT section */
	size_t cat_len;          /* 0: no CAT received */
	uint8_t buffers[SI_PIDS][SECTION_MAX];
};

void si_watch_init(struct si_watch *);
/* Takes a packet; packets of other PIDs are ignored. */
void si_watch_feed(struct si_watch *, const uint8_t *packet, uint64_t now_ns);
/* Sections with a wrong CRC_32 since the last call. */
uint32_t si_watch_errors(struct si_watch *);
