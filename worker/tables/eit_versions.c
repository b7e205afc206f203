/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/eit_versions.h"

#include <stddef.h>

enum { VERSIONS = 32 };

/* The place of the table, or a free one, or the oldest one. */
static struct eit_version *find(struct eit_versions *v, uint32_t table,
				uint32_t network)
{
	for (size_t i = 0; i < EIT_VERSIONS_MAX; i++) {
		struct eit_version *e = &v->list[i];

		if (e->table == 0 ||
		    (e->table == table && e->network == network))
			return e;
	}
	v->oldest = v->oldest % EIT_VERSIONS_MAX;
	return &v->list[v->oldest++];
}

uint8_t eit_version(struct eit_versions *v, struct eit_table_name name,
		    uint64_t hash)
{
	uint32_t table = (uint32_t)name.table_id << 16 | name.sid;
	uint32_t network = (uint32_t)name.onid << 16 | name.tsid;
	struct eit_version *e = find(v, table, network);

	if (e->table != table || e->network != network)
		*e = (struct eit_version){ .hash = hash, .table = table,
					   .network = network };
	else if (e->hash != hash)
		e->version = (e->version + 1) % VERSIONS;
	e->hash = hash;
	return (uint8_t)(e->version % VERSIONS);
}
