/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/psi_lead.h"

#include "worker/ts/pat.h"
#include "worker/ts/section.h"

static bool names(const struct psi_section *section, uint16_t number)
{
	struct pat pat;

	if (pat_decode(section->data, section->len, &pat) < 0)
		return false;
	for (size_t i = 0; i < pat.n_programs; i++)
		if (pat.programs[i].number == number)
			return true;
	return false;
}

static void lead_main(const struct psi *psi, psi_lead_fn *put, void *arg)
{
	const struct psi_program *main = psi_main_program(psi);
	const struct psi_section *pat;
	size_t n_pat = psi_pat(psi, &pat);

	if (main == NULL)
		return;
	for (size_t i = 0; i < n_pat; i++) {
		if (!names(&pat[i], main->number))
			continue;
		put(&pat[i], TS_PID_PAT, arg);
		break;
	}
	put(&main->pmt, main->pmt_pid, arg);
}

void psi_lead(const struct psi *psi, psi_lead_fn *put, void *arg)
{
	const struct psi_section *pat;
	const struct psi_program *programs;
	size_t n_pat = psi_pat(psi, &pat);
	size_t n_programs = psi_programs(psi, &programs);
	size_t packets = 0;

	for (size_t i = 0; i < n_pat; i++)
		packets += section_packets(pat[i].len);
	for (size_t i = 0; i < n_programs; i++)
		if (programs[i].pmt.data != NULL)
			packets += section_packets(programs[i].pmt.len);
	if (packets > PSI_LEAD_PACKETS) {
		lead_main(psi, put, arg);
		return;
	}
	for (size_t i = 0; i < n_pat; i++)
		put(&pat[i], TS_PID_PAT, arg);
	for (size_t i = 0; i < n_programs; i++)
		if (programs[i].pmt.data != NULL)
			put(&programs[i].pmt, programs[i].pmt_pid, arg);
}
