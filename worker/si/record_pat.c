/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Program association table (ISO/IEC 13818-1 2.4.4.3). */
#include "worker/si/table.h"

void si_pat(struct si_section *s, json_t *record)
{
	json_t *programs;

	si_put_uint(record, "tsid", s->extension);
	programs = si_put_list(record, "programs");
	while (!bits_end(&s->body)) {
		uint64_t number = bits_take(&s->body, 16);
		uint64_t pid = bits_take(&s->body, 16) & 0x1fff;
		json_t *program;

		if (s->body.cut)
			return;
		if (number == 0) {
			si_put_uint(record, "network_pid", pid);
			continue;
		}
		program = si_add_object(programs);
		si_put_uint(program, "pnr", number);
		si_put_uint(program, "pid", pid);
	}
}
