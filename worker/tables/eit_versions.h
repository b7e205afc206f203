/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The version numbers of the EIT that Sluice generates: a sub-table keeps its
 * version until its content changes, and then gets the next version.
 *
 * Flat and without pointers, so that it can be in memory that outlives a
 * worker.  Zeroed memory is ready.  In damaged memory a version is still below
 * 32.
 */
#pragma once

#include "proto/spec/tables_spec.h"

#include <stdint.h>

enum {
	/* Sub-tables whose versions are stored: all of EIT_SERVICES_MAX
	 * services, and some that are no longer sent.  If there are more, a
	 * sub-table that was not used lately loses its entry. */
	EIT_VERSIONS_MAX = 9 * EIT_SERVICES_MAX + 216,
};

struct eit_version {
	uint32_t hash; /* hash of the content */
	uint32_t table; /* table_id << 16 | service_id; 0: the entry is free */
	uint32_t network; /* original_network_id << 16 | transport_stream_id of
			   * another transport stream; 0: EIT actual */
	uint8_t version;
	uint8_t used; /* 1: used since eit_versions.hand last passed this
		       * entry */
	uint8_t reserved[2];
};

struct eit_versions {
	uint32_t hand; /* index of the entry that is examined next if no entry
			* is free */
	uint32_t reserved;
	struct eit_version list[EIT_VERSIONS_MAX];
};

struct eit_table_name {
	uint8_t table_id;
	uint16_t sid;
	/* both 0: the own transport stream */
	uint16_t onid, tsid;
};

/* Returns the version of the sub-table for the content with this hash.  If the
 * content has changed, it gets the next version. */
uint8_t eit_version(struct eit_versions *, struct eit_table_name,
		    uint64_t hash);
