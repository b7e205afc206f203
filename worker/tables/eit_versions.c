/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/eit_versions.h"

#include <stdbool.h>
#include <stddef.h>

enum { VERSIONS = 32 };

/* The entry of the table; otherwise a free one; otherwise the entry of a table
 * that was not used lately. */
static struct eit_version *find(struct eit_versions *v, uint32_t table,
				uint32_t network)
{
	struct eit_version *e;
	bool used;

	for (size_t i = 0; i < EIT_VERSIONS_MAX; i++) {
		e = &v->list[i];
		if (e->table == 0 ||
		    (e->table == table && e->network == network))
			return e;
	}
	/* one that was not used since the hand last passed it */
	do {
		v->hand = v->hand % EIT_VERSIONS_MAX;
		e = &v->list[v->hand++];
		used = e->used > 0;
		e->used = 0;
	} while (used);
	return e;
}

uint8_t eit_version(struct eit_versions *v, struct eit_table_name name,
		    uint64_t hash)
{
	uint32_t table = (uint32_t)name.table_id << 16 | name.sid;
	uint32_t network = (uint32_t)name.onid << 16 | name.tsid;
	uint32_t content = (uint32_t)(hash ^ hash >> 32);
	struct eit_version *e = find(v, table, network);

	if (e->table != table || e->network != network)
		*e = (struct eit_version){ .hash = content, .table = table,
					   .network = network };
	else if (e->hash != content)
		e->version = (uint8_t)((e->version + 1) % VERSIONS);
	e->hash = content;
	e->used = 1;
	return (uint8_t)(e->version % VERSIONS);
}
