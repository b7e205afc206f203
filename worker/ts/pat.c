/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pat.h"

#include "worker/ts/section.h"

#include <errno.h>

enum {
	HEADER = 8,
	CRC = 4,
	ENTRY = 4,
};

int pat_decode(const uint8_t *section, size_t len, struct pat *ret)
{
	if (len < HEADER + CRC || len > SECTION_PSI_MAX ||
	    section_table_id(section) != PAT_TABLE_ID ||
	    !section_has_syntax(section) || section_length(section) != len ||
	    (len - HEADER - CRC) % ENTRY != 0 || section[6] > section[7])
		return -EBADMSG;

	ret->tsid = (uint16_t)(section[3] << 8 | section[4]);
	ret->version = section_version(section);
	ret->current = section[5] & 1;
	ret->section_number = section[6];
	ret->last_section_number = section[7];
	ret->network_pid = 0;
	ret->n_programs = 0;

	for (const uint8_t *p = section + HEADER; p < section + len - CRC;
	     p += ENTRY) {
		uint16_t number = (uint16_t)(p[0] << 8 | p[1]);
		uint16_t pid = (uint16_t)((p[2] & 0x1f) << 8 | p[3]);

		if (number == 0)
			ret->network_pid = pid;
		else if (pid >= TS_PID_FREE && pid != TS_PID_NULL)
			ret->programs[ret->n_programs++] =
				(struct pat_program){ number, pid };
	}
	return 0;
}
