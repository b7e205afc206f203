/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/output_sdt.h"

#include "worker/ts/si_table.h"

enum { SDT_HEAD = 11 };

void output_sdt_init(struct output_sdt *o)
{
	o->known = false;
	section_init(&o->assembler, o->buffer, sizeof o->buffer);
}

static bool take(struct output_sdt *o, const uint8_t *section, size_t len)
{
	uint16_t tsid, onid;

	/* and it is valid now (current_next_indicator) */
	if (section_table_id(section) != SDT_TABLE_ID ||
	    !section_has_syntax(section) || len < SDT_HEAD ||
	    (section[5] & 1) == 0)
		return false;
	tsid = (uint16_t)(section[3] << 8 | section[4]);
	onid = (uint16_t)(section[8] << 8 | section[9]);
	if (o->known && tsid == o->tsid && onid == o->onid)
		return false;
	o->known = true;
	o->tsid = tsid;
	o->onid = onid;
	return true;
}

bool output_sdt_feed(struct output_sdt *o, const struct ts_run *runs,
		     size_t n_runs)
{
	const uint8_t *section;
	bool changed = false;
	size_t len;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) != SI_PID_SDT)
				continue;
			section_push(&o->assembler, p);
			while ((section = section_pull(&o->assembler,
						       &len)) != NULL)
				changed |= take(o, section, len);
		}
	return changed;
}
