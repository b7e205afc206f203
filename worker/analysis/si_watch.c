/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/si_watch.h"

#include "common/base/util.h"

#include <string.h>

enum { SLOT_CAT };

/* Place of the assembler of a PID, or -1. */
static int slot_of(uint16_t pid)
{
	static const uint16_t pids[SI_PIDS] = {
		SI_PID_CAT, SI_PID_NIT, SI_PID_SDT, SI_PID_EIT, SI_PID_TDT,
	};

	for (int i = 0; i < SI_PIDS; i++)
		if (pids[i] == pid)
			return i;
	return -1;
}

void si_watch_init(struct si_watch *w)
{
	memset(w, 0, sizeof *w);
	for (size_t i = 0; i < SI_PIDS; i++)
		section_init(&w->assemblers[i], w->buffers[i],
			     i == SLOT_CAT ? SECTION_PSI_MAX : SECTION_MAX);
}

static void take(struct si_watch *w, int slot, const uint8_t *section,
		 size_t len, uint64_t now_ns)
{
	bool actual;
	enum si_table table = si_table_find(section_table_id(section),
					    &actual);

	/* on PID 1 there is a CAT and nothing else (TR 101 290 2.6) */
	if (slot == SLOT_CAT && table != SI_CAT) {
		w->wrong_cat++;
		return;
	}
	/* tables of other transport streams are not checked */
	if (table == SI_TABLES || !actual)
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
