/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The version numbers of own EIT: a sub-table keeps its version until it has
 * another content, and gets the next one then.
 *
 * Flat and without pointers, so that it can stand in memory that outlives a
 * worker.  Zeroed memory is ready.  In damaged memory a version is still below
 * 32.
 */
#pragma once

#include <stdint.h>

enum { EIT_VERSIONS_MAX = 1024 /* sub-tables; then the oldest is forgotten */ };

struct eit_version {
	uint64_t hash;
	uint32_t table;   /* table_id and service_id; 0: not used */
	uint32_t network; /* of other transport streams; 0: actual */
	uint32_t version;
	uint32_t reserved;
};

struct eit_versions {
	uint32_t oldest; /* the next place when none is free */
	uint32_t reserved;
	struct eit_version list[EIT_VERSIONS_MAX];
};

struct eit_table_name {
	uint8_t table_id;
	uint16_t sid;
	/* of other transport streams */
	uint16_t onid, tsid;
};

/* The version for the content of this hash. */
uint8_t eit_version(struct eit_versions *, struct eit_table_name,
		    uint64_t hash);
