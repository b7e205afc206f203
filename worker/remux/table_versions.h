/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The version numbers of the tables that a stream sends, whatever its source:
 * the same content has the same version, another content another one, and
 * nothing else changes a version.
 *
 * Flat and without pointers, so that it can stand in memory that outlives a
 * worker.  Zeroed memory is ready.  What a damaged one holds does no harm: a
 * version is always below TABLE_VERSION_COUNT.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	TABLE_VERSION_COUNT = 32,
	TABLE_VERSIONS_MAX = 512, /* contents that are remembered */
	/* of them for one table, so that a source that comes back has its
	 * old version; always less than there are versions */
	TABLE_CONTENTS_MAX = 8,
};

struct table_version {
	uint64_t hash;
	uint32_t table;   /* table_id and extension; 0: not used */
	uint32_t stamp;   /* when it was last asked for */
	uint8_t version;
	uint8_t reserved[7];
};

struct table_versions {
	uint32_t stamp;
	uint32_t reserved;
	struct table_version contents[TABLE_VERSIONS_MAX];
};

/* Which table: table_id and what its sections carry as extension. */
struct table_name {
	uint8_t table_id;
	uint16_t extension;
};

/*
 * The version for the content of this hash (common/base/hash.h) in the table.
 * A table that was never asked for begins at first.  A content that is new has
 * the version after the last one given out, or the next that none of the
 * remembered has.
 */
uint8_t table_version(struct table_versions *, struct table_name,
		      uint64_t hash, uint8_t first);
