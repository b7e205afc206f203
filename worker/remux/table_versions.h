/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The version numbers of the tables that a stream generates, for all its
 * sources: the same content has the same version, other content has another
 * one, and nothing else changes a version.
 *
 * Flat and without pointers, so that it can stand in memory that outlives a
 * worker.  Zeroed memory is ready.  In damaged memory a version is still below
 * TABLE_VERSION_COUNT.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TABLE_VERSION_COUNT = 32,
	TABLE_VERSIONS_MAX = 512, /* stored contents */
	/* stored contents of one table, so that a source that returns gets
	 * its old version; fewer than there are versions */
	TABLE_CONTENTS_MAX = 8,
};

struct table_version {
	uint64_t hash;
	uint32_t table;   /* table_id and extension; 0: not used */
	uint32_t stamp;   /* table_versions.stamp at its last use */
	uint8_t version;
	uint8_t reserved;
	uint16_t network;
	uint32_t reserved_too;
};

struct table_versions {
	uint32_t stamp;
	uint32_t reserved;
	struct table_version contents[TABLE_VERSIONS_MAX];
};

/* Identifies a table. */
struct table_name {
	uint8_t table_id;
	uint16_t extension;
};

/*
 * The version for the content of this hash (common/base/hash.h) in the table.
 * A new table starts with `first`.  New content gets the version after the last
 * one, or the next that no stored content has.
 */
uint8_t table_version(struct table_versions *, struct table_name,
		      uint64_t hash, uint8_t first);
/* Is the newest content of the table that of this hash? */
bool table_is_last(struct table_versions *, struct table_name, uint64_t hash);
/* As table_version(), for a table of another transport stream, which its
 * original_network_id distinguishes. */
uint8_t table_version_other(struct table_versions *, struct table_name,
			    uint16_t network, uint64_t hash);
