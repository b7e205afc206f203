/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The version numbers of service information that a stream passes: NIT, BAT,
 * SDT and EIT of the active source.
 *
 * Two sources count versions independently.  A receiver with version 3 of a
 * table from one source would ignore version 3 from the other.  So an output
 * version changes when that of the source does, when another source begins with
 * other content, and when the same source changes content without a new
 * version. Unchanged content keeps its version.  Descriptors that an operator
 * changes are content, too.
 *
 * Flat and without pointers, so that it can stand in memory that outlives a
 * worker.  Zeroed memory is ready.  Damaged memory causes wrong versions only.
 * Sub-tables beyond the limit keep the version of the source.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	SI_TABLES_MAX = 512, /* sub-tables */
	/* the first sections of a sub-table, which are compared */
	SI_SECTIONS = 2,
};

struct si_version {
	uint64_t key;     /* identifies the sub-table; 0: free */
	uint32_t turn;    /* si_versions.turn when it was last seen */
	uint8_t source;   /* version in the source */
	uint8_t version;  /* version in the output */
	uint8_t known;    /* bits: which hashes are valid */
	uint8_t reserved;
	uint32_t hash[SI_SECTIONS]; /* hashes of the first sections */
};

struct si_versions {
	uint32_t player; /* the active source, from 1; 0: none yet */
	uint32_t turn;   /* the number of starts of a source */
	struct si_version tables[SI_TABLES_MAX];
};

/* Makes a source (from 1) the active one, or notes its restart. */
void si_versions_begin(struct si_versions *, uint32_t player);

/* Sets the version of a section of NIT, BAT, SDT or EIT, whose CRC_32 was
 * checked.  A section of a source that is not active gets the version with
 * which its table would follow: it may be sent among the first packets behind a
 * switch.  edits: a hash of the changes by the operator that its table went
 * through; 0: none.  A table that was passed before its first change has
 * another version than its source, too. */
void si_versions_apply(struct si_versions *, uint32_t source, uint32_t edits,
		       uint8_t *section, size_t len);
