/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/psip_watch.h"

#include "worker/ts/si_table.h"

#include <string.h>

enum {
	MGT_TABLE_ID = 0xc7,
	STT_TABLE_ID = 0xcd, /* highest table_id on the base PID (A/65 6) */
	/* offsets in an MGT, and lengths (A/65 6.2) */
	CURRENT_NEXT = 5,
	TABLES_DEFINED = 9,
	MGT_TABLES = 11,
	MGT_TABLE = 11, /* bytes of an entry without its descriptors */
	TABLE_PID = 2,
	TABLE_DESCRIPTORS = 9,
	CRC_LEN = 4,
};

void psip_watch_init(struct psip_watch *w)
{
	*w = (struct psip_watch){ 0 };
	section_init(&w->assembler, w->buffer, sizeof w->buffer);
}

static unsigned get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

/* Reads the PIDs of an MGT; false: the MGT ends inside a table, so ret is
 * incomplete. */
static bool read_mgt(const uint8_t *section, size_t len,
		     uint64_t ret[TS_PIDS / 64])
{
	size_t at = MGT_TABLES, end = len - CRC_LEN;

	memset(ret, 0, TS_PIDS / 8);
	for (unsigned n = get16(section + TABLES_DEFINED); n > 0; n--) {
		unsigned pid;

		if (at + MGT_TABLE > end)
			return false;
		pid = get16(section + at + TABLE_PID) & 0x1fff;
		ret[pid / 64] |= UINT64_C(1) << pid % 64;
		at += MGT_TABLE +
		      section_get12(section + at + TABLE_DESCRIPTORS);
	}
	return at <= end;
}

void psip_watch_feed(struct psip_watch *w, const uint8_t *packet,
		     uint64_t now_ns)
{
	const uint8_t *section;
	size_t len;

	section_push(&w->assembler, packet);
	while ((section = section_pull(&w->assembler, &len)) != NULL) {
		uint8_t id = section_table_id(section);
		uint64_t listed[TS_PIDS / 64];

		/* without section_syntax_indicator no CRC_32 was checked */
		if (!section_has_syntax(section) || id < MGT_TABLE_ID ||
		    id > STT_TABLE_ID)
			continue;
		w->is_atsc = true;
		if (id == MGT_TABLE_ID && len >= MGT_TABLES + CRC_LEN &&
		    (section[CURRENT_NEXT] & 1) &&
		    read_mgt(section, len, listed) &&
		    memcmp(listed, w->listed, sizeof listed) != 0) {
			memcpy(w->listed, listed, sizeof listed);
			w->changed_ns = now_ns;
		}
	}
}

bool psip_watch_has(const struct psip_watch *w, uint16_t pid)
{
	return w->is_atsc && (pid == SI_PID_PSIP ||
			      (w->listed[pid / 64] >> pid % 64 & 1) != 0);
}
