/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the last NIT, SDT and present/following EIT of the sent transport
 * stream, so that the filler can repeat them.
 *
 * A new version of a table replaces all its sections.  At most
 * SI_KEEPER_SECTIONS sections are kept, in memory that is reused; further
 * sections are not kept.
 */
#pragma once

#include "worker/ts/section.h"

enum { SI_KEEPER_SECTIONS = 64, SI_KEEPER_PIDS = 3 };

struct si_kept {
	uint16_t pid;
	size_t len;
	uint8_t *data; /* SECTION_MAX bytes; NULL: never used */
};

/* Embedded; zeroed memory is an empty keeper. */
struct si_keeper {
	bool begun; /* the assemblers are initialized */
	size_t n;   /* used entries of kept; others may have memory for reuse */
	struct si_kept kept[SI_KEEPER_SECTIONS];
	struct section_assembler assemblers[SI_KEEPER_PIDS];
	uint8_t buffers[SI_KEEPER_PIDS][SECTION_MAX];
};

void si_keeper_done(struct si_keeper *);

/* Takes a packet of any PID. */
void si_keeper_feed(struct si_keeper *, const uint8_t *packet);
