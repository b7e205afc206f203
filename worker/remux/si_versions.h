/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The version numbers of service information that a stream passes: NIT, BAT,
 * SDT and EIT of the active source.
 *
 * Two sources count versions independently.  A receiver with version 3 of a
 * table from one source would ignore version 3 from the other.  So the version
 * in the output changes when the version of the source changes, when another
 * source begins with other content, and when the same source changes content
 * without a new version.  Unchanged content keeps its version.  Descriptors
 * that an operator changes are content, too.
 *
 * Flat and without pointers, so that it can be in memory that outlives a
 * worker.  Zeroed memory is ready.  Damaged memory causes wrong versions only.
 * Sub-tables beyond the limit keep the version of the source.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	SI_TABLES_MAX = 512, /* sub-tables */
	/* the content of this number of sections of a sub-table is compared,
	 * from section 0 on */
	SI_SECTIONS = 2,
};

struct si_version {
	uint64_t key;     /* from key_of(), identifies the sub-table; 0: the
			   * entry is free */
	uint32_t turn;    /* si_versions.turn when the sub-table last arrived */
	uint8_t source;   /* last version in the source */
	uint8_t version;  /* version in the output */
	uint8_t known;    /* bit n: hash[n] is valid */
	uint8_t reserved;
	uint32_t hash[SI_SECTIONS]; /* hashes of sections 0 to SI_SECTIONS -
				     * 1 */
};

struct si_versions {
	uint32_t player; /* the active source, from 1; 0: none yet */
	uint32_t turn;   /* how often a source became active or restarted */
	struct si_version tables[SI_TABLES_MAX];
};

/* Call it when a source (the first one is 1) becomes active, or restarts. */
void si_versions_begin(struct si_versions *, uint32_t player);

/* Sets the version of a section of NIT, BAT, SDT or EIT, whose CRC_32 was
 * checked.  A section of a source that is not active gets the version that it
 * would have if the source became active now, because it may be sent among the
 * first packets after a switch.  edits: a hash of the changes by the operator
 * in this table; 0: none.  A changed table starts with another version than
 * that of the source, because receivers may already have the unchanged one. */
void si_versions_apply(struct si_versions *, uint32_t source, uint32_t edits,
		       uint8_t *section, size_t len);
