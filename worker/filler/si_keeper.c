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

static void keep(struct si_keeper *k, uint16_t pid, const uint8_t *section,
		 size_t len)
{
	struct si_kept *to;

	for (size_t i = k->n; i-- > 0;) {
		const struct si_kept old = k->kept[i];

		/* another table_id or table_id_extension: another table */
		if (old.data[0] != section[0] || old.data[3] != section[3] ||
		    old.data[4] != section[4])
			continue;
		if (old.len == len && memcmp(old.data, section, len) == 0)
			return;
		/* byte 5 has the version, byte 6 the number of the section */
		if (old.data[5] == section[5] && old.data[6] != section[6])
			continue;
		/* the memory of the dropped section stays for another one */
		k->kept[i] = k->kept[--k->n];
		k->kept[k->n] = old;
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
