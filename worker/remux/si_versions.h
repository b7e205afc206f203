/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The version numbers of the service information that a stream passes on: NIT,
 * BAT, SDT and EIT of whichever source plays.
 *
 * Two sources count by themselves.  A receiver that knows version 3 of a table
 * from the one would take the other's version 3 for the same.  So a version
 * that goes out changes when that of the source does, and when another source
 * begins with another content, or the same one does so without a word; what is
 * the same keeps its version.
 *
 * Flat and without pointers, so that it can stand in memory that outlives a
 * worker.  Zeroed memory is ready.  What a damaged one holds does no harm.
 * What does not fit goes out with the version that it has.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	SI_TABLES_MAX = 512, /* sub-tables */
	SI_SECTIONS = 2,     /* of each, that are told from others */
};

struct si_version {
	uint64_t key;     /* what it is a table of; 0: free */
	uint32_t turn;    /* when it was seen last */
	uint8_t source;   /* its version there ... */
	uint8_t version;  /* ... and as it goes out */
	uint8_t known;    /* a bit for each hash */
	uint8_t reserved;
	uint32_t hash[SI_SECTIONS]; /* of the content of the first sections */
};

struct si_versions {
	uint32_t player; /* the source that plays, from 1; 0: none yet */
	uint32_t turn;   /* one more for each that began */
	struct si_version tables[SI_TABLES_MAX];
};

/* From now on it is this source (from 1) that goes out; or the same one again,
 * which may have begun anew. */
void si_versions_begin(struct si_versions *, uint32_t player);

/* A section of such a table, whose CRC_32 was right, as this source has it:
 * gets its version, when this source plays. */
void si_versions_apply(struct si_versions *, uint32_t source,
		       uint8_t *section, size_t len);
