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

#include "proto/spec/tables_spec.h"

#include <stdint.h>

enum {
	/* Sub-tables: all of EIT_SERVICES_MAX services, and some that are not
	 * sent any more.  Of more, one that was not asked for lately is
	 * forgotten. */
	EIT_VERSIONS_MAX = 9 * EIT_SERVICES_MAX + 216,
};

struct eit_version {
	uint32_t hash;
	uint32_t table;   /* table_id and service_id; 0: free */
	uint32_t network; /* of other transport streams; 0: actual */
	uint8_t version;
	uint8_t used; /* 1: asked for since the hand was here */
	uint8_t reserved[2];
};

struct eit_versions {
	uint32_t hand; /* the place to try next when none is free */
	uint32_t reserved;
	struct eit_version list[EIT_VERSIONS_MAX];
};

struct eit_table_name {
	uint8_t table_id;
	uint16_t sid;
	/* 0 for the own transport stream */
	uint16_t onid, tsid;
};

/* The version for the content of this hash in the table.  New content gets the
 * next version. */
uint8_t eit_version(struct eit_versions *, struct eit_table_name,
		    uint64_t hash);
