/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/si_watch.h"

#include "common/base/util.h"

#include <string.h>

enum { SLOT_CAT };

void si_watch_init(struct si_watch *w)
{
	memset(w, 0, sizeof *w);
	for (size_t i = 0; i < SI_PIDS; i++)
		section_init(&w->assemblers[i], w->buffers[i], SECTION_MAX);
}

void si_watch_feed(struct si_watch *w, const uint8_t *packet, uint64_t now_ns)
{
	static const uint16_t pids[SI_PIDS] = {
		[SLOT_CAT] = SI_PID_CAT,
		SI_PID_NIT, SI_PID_SDT, SI_PID_EIT, SI_PID_TDT,
	};
	uint16_t pid = ts_pid(packet);
	const uint8_t *section;
	size_t len, slot = 0;

	while (slot < SI_PIDS && pids[slot] != pid)
		slot++;
	if (slot == SI_PIDS)
		return;
	section_push(&w->assemblers[slot], packet);
	while ((section = section_pull(&w->assemblers[slot], &len)) != NULL) {
		bool actual;
		enum si_table table = si_table_find(section_table_id(section),
						    &actual);

		/* on PID 1 there is a CAT and nothing else (TR 101 290 2.6) */
		if (slot == SLOT_CAT && table != SI_CAT) {
			w->wrong_cat++;
			continue;
		}
		/* tables of other transport streams are not checked */
		if (table == SI_TABLES || !actual)
			continue;
		w->seen_ns[table] = now_ns;
		if (table == SI_CAT && len <= sizeof w->cat) {
			memcpy(w->cat, section, len);
			w->cat_len = len;
		}
	}
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
