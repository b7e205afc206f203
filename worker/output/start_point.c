/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/start_point.h"

#include "worker/ts/section.h"

enum { PACKETS_MAX = (SECTION_PSI_MAX + 184) / 184 + 1 };

static void put_section(const struct psi_section *s, uint16_t pid,
			struct cc_rewrite *cc, start_point_put_fn *put,
			void *arg)
{
	uint8_t packets[PACKETS_MAX * TS_PACKET];

	if (s->data == NULL || s->len > SECTION_PSI_MAX)
		return;
	put(packets, section_pack(s->data, s->len, pid,
				  cc_rewrite_next(cc, pid), packets), arg);
}

void start_point_tables(const struct psi *psi, struct cc_rewrite *cc,
			start_point_put_fn *put, void *arg)
{
	const struct psi_section *pat;
	const struct psi_program *programs;
	size_t n_pat = psi_pat(psi, &pat);
	size_t n_programs = psi_programs(psi, &programs);

	for (size_t i = 0; i < n_pat; i++)
		put_section(&pat[i], TS_PID_PAT, cc, put, arg);
	for (size_t i = 0; i < n_programs; i++)
		put_section(&programs[i].pmt, programs[i].pmt_pid, cc, put,
			    arg);
}
