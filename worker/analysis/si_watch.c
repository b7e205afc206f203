/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/si_watch.h"

#include "common/util.h"

#include <string.h>

/* Place of the assembler of a PID, or -1. */
static int slot_of(uint16_t pid)
{
	static const uint16_t pids[SI_PIDS] = { 0x01, 0x10, 0x11, 0x12, 0x14 };

	for (int i = 0; i < SI_PIDS; i++)
		if (pids[i] == pid)
			return i;
	return -1;
}

/* -1: the table_id has no time to be told, as that of another stream. */
static int table_of(uint8_t table_id)
{
	switch (table_id) {
	case 0x01:
		return SI_CAT;
	case 0x40:
		return SI_NIT;
	case 0x42:
		return SI_SDT;
	case 0x4e:
		return SI_EIT;
	case 0x70:
	case 0x73:
		return SI_TDT;
	default:
		return -1;
	}
}

void si_watch_init(struct si_watch *w)
{
	memset(w, 0, sizeof *w);
	for (size_t i = 0; i < SI_PIDS; i++)
		section_init(&w->assemblers[i], w->buffers[i],
			     i == SI_CAT ? SECTION_PSI_MAX : SECTION_MAX);
}

static void take(struct si_watch *w, int slot, const uint8_t *section,
		 size_t len, uint64_t now_ns)
{
	int table = table_of(section_table_id(section));

	/* on PID 1 there is a CAT and nothing else (TR 101 290 2.6) */
	if (slot == SI_CAT && table != SI_CAT) {
		w->wrong_table[SI_CAT]++;
		return;
	}
	if (table < 0)
		return;
	w->seen_ns[table] = now_ns;
	if (table == SI_CAT && len <= sizeof w->cat) {
		memcpy(w->cat, section, len);
		w->cat_len = len;
	}
}

void si_watch_feed(struct si_watch *w, const uint8_t *packet, uint64_t now_ns)
{
	int slot = slot_of(ts_pid(packet));
	const uint8_t *section;
	size_t len;

	if (slot < 0)
		return;
	section_push(&w->assemblers[slot], packet);
	while ((section = section_pull(&w->assemblers[slot], &len)) != NULL)
		take(w, slot, section, len, now_ns);
}

uint32_t si_watch_errors(struct si_watch *w)
{
	uint32_t all = 0, fresh;

	for (size_t i = 0; i < SI_PIDS; i++)
		all += w->assemblers[i].crc_errors;
	fresh = all - w->errors_before;
	w->errors_before = all;
	return fresh;
}
