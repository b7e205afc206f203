/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/si_versions.h"

#include "common/base/crc32.h"
#include "worker/remux/psi_build.h"
#include "worker/ts/si_table.h"

#include <stdbool.h>
#include <string.h>

enum {
	HEADER = 8,
	CRC = 4,
	VERSION_AT = 5,
	NUMBER_AT = 6,
	VERSIONS = 32,
};

void si_versions_begin(struct si_versions *sv, uint32_t player)
{
	sv->player = player;
	sv->turn++;
}

/* The key of a sub-table, from its identifiers (EN 300 468 5.1.1); 0: the table
 * has another table_id, and passes with its own version. */
static uint64_t key_of(const uint8_t *s, size_t len)
{
	size_t n = 0; /* bytes behind the header that are part of the key */
	uint64_t key;

	if (s[0] < NIT_TABLE_ID || s[0] > EIT_LAST_TABLE_ID)
		return 0;
	if (s[0] >= EIT_TABLE_ID)
		n = 4; /* transport_stream_id, original_network_id */
	else if (s[0] == SDT_TABLE_ID || s[0] == SDT_OTHER_TABLE_ID)
		n = 2; /* original_network_id */
	if (len < HEADER + n + CRC)
		return 0;
	key = (uint64_t)s[0] << 16 | (uint64_t)s[3] << 8 | s[4];
	for (size_t i = 0; i < n; i++)
		key = key << 8 | s[HEADER + i];
	return key;
}

/* Finds the entry of a sub-table.  add: an unknown sub-table gets a free entry.
 * NULL: the sub-table is unknown, and is not added or no entry is free. */
static struct si_version *find(struct si_versions *sv, uint64_t key, bool add)
{
	for (size_t i = 0; i < SI_TABLES_MAX; i++) {
		struct si_version *t = &sv->tables[i];

		if (t->key == key)
			return t;
		if (t->key == 0) {
			/* entries are filled from the front: the sub-table is
			 * in none of those behind this free one */
			if (!add)
				return NULL;
			t->key = key;
			return t;
		}
	}
	return NULL;
}

static uint8_t version_of(const uint8_t *section)
{
	return section[VERSION_AT] >> 1 & (VERSIONS - 1);
}

static void follow(struct si_versions *sv, struct si_version *t,
		   const uint8_t *section, uint32_t hash, bool edited)
{
	uint8_t source = version_of(section), number = section[NUMBER_AT];
	bool compared = number < SI_SECTIONS;
	bool known = compared && (t->known >> number & 1);
	bool same = known && t->hash[number] == hash;
	/* After a restart the source may have another content with the same
	 * version, so only equal content keeps the version. */
	bool changed = t->turn != sv->turn
			       ? !same
			       : t->source != source || (known && !same);

	if (t->turn == 0) {
		t->version = (uint8_t)((source + edited) % VERSIONS);
	} else if (changed) {
		t->version = (uint8_t)((t->version + 1) % VERSIONS);
		t->known = 0;
	}
	t->turn = sv->turn;
	t->source = source;
	if (compared) {
		t->hash[number] = hash;
		t->known |= (uint8_t)(1u << number);
	}
}

void si_versions_apply(struct si_versions *sv, uint32_t source, uint32_t edits,
		       uint8_t *section, size_t len)
{
	uint64_t key = len >= HEADER + CRC ? key_of(section, len) : 0;
	bool active = source == sv->player, current;
	struct si_version *t;
	uint32_t hash;
	uint8_t version;

	if (key == 0 || (!active && sv->player == 0))
		return;
	t = find(sv, key, active);
	if (t == NULL)
		return;
	current = section[VERSION_AT] & 1;
	if (active ? !current && t->turn != sv->turn
		   : !current || t->turn == 0)
		return; /* the current content of this sub-table has not arrived
			 * yet */
	/* `edits' counts for all sections, because edits may be in sections
	 * that are not compared */
	hash = crc32_mpeg(section + NUMBER_AT, len - NUMBER_AT - CRC) ^ edits;
	if (current && active)
		follow(sv, t, section, hash, edits != 0);
	if (active) {
		version = (uint8_t)((t->version + version_of(section) +
				     VERSIONS - t->source % VERSIONS) %
				    VERSIONS);
	} else {
		/* the version that the table would get if its source became
		 * active now */
		uint8_t number = section[NUMBER_AT];
		bool known = number < SI_SECTIONS && (t->known >> number & 1);
		bool same = known ? t->hash[number] == hash
				  : t->source == version_of(section);

		version = (uint8_t)((t->version + !same) % VERSIONS);
	}
	if (version != version_of(section))
		section_set_version(section, len, version);
}
