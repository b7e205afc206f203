/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/table_versions.h"

/* The stored contents of one table. */
struct memory {
	struct table_version *same;   /* the entry of this content; NULL: it is
				       * not stored */
	struct table_version *newest; /* the entry that was used last; NULL: the
				       * table is new */
	struct table_version *oldest;
	size_t n;
	uint32_t taken; /* bit n: a stored content has version n */
};

static struct memory recall(struct table_versions *tv, uint32_t key,
			    uint16_t network, uint64_t hash)
{
	struct memory m = { 0 };

	for (size_t i = 0; i < TABLE_VERSIONS_MAX; i++) {
		struct table_version *v = &tv->contents[i];

		if (v->table == 0) /* entries are filled from the front, so the
				    * rest is free */
			break;
		if (v->table != key || v->network != network)
			continue;
		if (v->hash == hash)
			m.same = v;
		if (m.newest == NULL || v->stamp > m.newest->stamp)
			m.newest = v;
		if (m.oldest == NULL || v->stamp < m.oldest->stamp)
			m.oldest = v;
		m.taken |= UINT32_C(1) << (v->version % TABLE_VERSION_COUNT);
		m.n++;
	}
	return m;
}

/* An entry for new content: the oldest one of its table if the table has
 * TABLE_CONTENTS_MAX, otherwise a free one, otherwise the oldest one of all. */
static struct table_version *find_place(struct table_versions *tv,
					const struct memory *m)
{
	struct table_version *oldest = &tv->contents[0];

	if (m->n >= TABLE_CONTENTS_MAX)
		return m->oldest;
	for (size_t i = 0; i < TABLE_VERSIONS_MAX; i++) {
		struct table_version *v = &tv->contents[i];

		if (v->table == 0)
			return v;
		if (v->stamp < oldest->stamp)
			oldest = v;
	}
	return oldest;
}

static uint8_t find_version(struct table_versions *tv, uint32_t key,
			    uint16_t network, uint64_t hash, uint8_t first)
{
	struct memory m = recall(tv, key, network, hash);
	struct table_version *v = m.same;

	if (v == NULL) {
		unsigned version = m.newest != NULL ? m.newest->version + 1u
						    : first;

		for (unsigned i = 0; i < TABLE_VERSION_COUNT &&
		     m.taken >> (version % TABLE_VERSION_COUNT) & 1; i++)
			version++;
		v = find_place(tv, &m);
		*v = (struct table_version){
			.hash = hash, .table = key,
			.version = (uint8_t)(version % TABLE_VERSION_COUNT),
			.network = network,
		};
	}
	v->stamp = ++tv->stamp;
	return v->version % TABLE_VERSION_COUNT;
}

static uint32_t key_of(struct table_name name)
{
	return (uint32_t)1 << 31 | (uint32_t)name.table_id << 16 |
	       name.extension;
}

uint8_t table_version(struct table_versions *tv, struct table_name name,
		      uint64_t hash, uint8_t first)
{
	return find_version(tv, key_of(name), 0, hash, first);
}

bool table_is_last(struct table_versions *tv, struct table_name name,
		   uint64_t hash)
{
	struct memory m = recall(tv, key_of(name), 0, hash);

	return m.same != NULL && m.same == m.newest;
}

uint8_t table_version_other(struct table_versions *tv, struct table_name name,
			    uint16_t network, uint64_t hash)
{
	return find_version(tv, key_of(name), network, hash, 0);
}
