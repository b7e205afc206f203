/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/filler/si_keeper.h"

#include "common/base/alloc.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEAD = 8, /* bytes of a section up to last_section_number */
};

static const struct {
	uint16_t pid;
	uint8_t table_id;
} tables[SI_KEEPER_PIDS] = {
	{ SI_PID_NIT, NIT_TABLE_ID },
	{ SI_PID_SDT, SDT_TABLE_ID },
	{ SI_PID_EIT, EIT_TABLE_ID },
};

void si_keeper_done(struct si_keeper *k)
{
	for (size_t i = 0; i < SI_KEEPER_SECTIONS; i++)
		free(k->kept[i].data);
	*k = (struct si_keeper){ .n = 0 };
}

/* Removes section i.  Its memory stays for another section. */
static void drop(struct si_keeper *k, size_t i)
{
	struct si_kept dropped = k->kept[i];

	k->kept[i] = k->kept[--k->n];
	k->kept[k->n] = dropped;
}

/* Have both sections the same table_id and table_id_extension? */
static bool is_same_table(const uint8_t *a, const uint8_t *b)
{
	return a[0] == b[0] && a[3] == b[3] && a[4] == b[4];
}

static void keep(struct si_keeper *k, uint16_t pid, const uint8_t *section,
		 size_t len)
{
	struct si_kept *to;

	for (size_t i = k->n; i-- > 0;) {
		const struct si_kept *old = &k->kept[i];

		if (!is_same_table(old->data, section))
			continue;
		if (old->len == len && memcmp(old->data, section, len) == 0)
			return;
		/* byte 5 has the version, byte 6 the number of the section */
		if (old->data[5] != section[5] || old->data[6] == section[6])
			drop(k, i);
	}
	if (k->n == SI_KEEPER_SECTIONS)
		return;
	to = &k->kept[k->n++];
	if (to->data == NULL)
		to->data = xcalloc(1, SECTION_MAX);
	to->pid = pid;
	to->len = len;
	memcpy(to->data, section, len);
}

void si_keeper_feed(struct si_keeper *k, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	const uint8_t *section;
	size_t len, slot = 0;

	while (slot < SI_KEEPER_PIDS && tables[slot].pid != pid)
		slot++;
	if (slot == SI_KEEPER_PIDS)
		return;
	for (size_t i = 0; i < SI_KEEPER_PIDS && !k->begun; i++)
		section_init(&k->assemblers[i], k->buffers[i], SECTION_MAX);
	k->begun = true;
	section_push(&k->assemblers[slot], packet);
	while ((section = section_pull(&k->assemblers[slot], &len)) != NULL)
		if (section_table_id(section) == tables[slot].table_id &&
		    section_has_syntax(section) && len > HEAD &&
		    section[5] & 1)
			keep(k, pid, section, len);
}
