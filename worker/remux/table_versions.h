/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The version numbers of the tables that a stream generates, for all its
 * sources: the same content has the same version, and other content has another
 * version.
 *
 * Flat and without pointers, so that it can be in memory that outlives a
 * worker.  Zeroed memory is ready.  In damaged memory a version is still below
 * TABLE_VERSION_COUNT.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TABLE_VERSION_COUNT = 32,
	TABLE_VERSIONS_MAX = 512, /* contents that are stored, of all tables
				   * together */
	/* contents that are stored of one table, so that the table of a source
	 * that returns gets its old version; fewer than TABLE_VERSION_COUNT */
	TABLE_CONTENTS_MAX = 8,
};

struct table_version {
	uint64_t hash; /* hash of the content */
	uint32_t table;   /* from key_of(): table_id and extension; 0: the entry
			   * is free */
	uint32_t stamp;   /* table_versions.stamp at its last use */
	uint8_t version;
	uint8_t reserved;
	/* original_network_id, if the table is of another transport stream;
	 * otherwise 0 */
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
 * Returns the version of the table for the content with this hash
 * (common/base/hash.h).  A new table starts with `first'.  New content gets the
 * next version that no stored content of the table has.
 */
uint8_t table_version(struct table_versions *, struct table_name,
		      uint64_t hash, uint8_t first);
/* Is the content with this hash the one that the table had last? */
bool table_is_last(struct table_versions *, struct table_name, uint64_t hash);
/* As table_version(), for a table of another transport stream with this
 * original_network_id. */
uint8_t table_version_other(struct table_versions *, struct table_name,
			    uint16_t network, uint64_t hash);
