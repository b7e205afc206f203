/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/program_pids.h"

#include "worker/ts/pmt.h"
#include "worker/ts/si_table.h"

/* PAT, CAT, NIT (unless the PAT names another PID), SDT, EIT and TDT. */
static const uint16_t table_pids[] = { 0, 1, 16, 17, 18, 20 };

static bool has_number(const struct msg_adapter_programs *wanted,
		       uint16_t number)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->numbers[i] == number)
			return true;
	return wanted->all;
}

struct plan {
	const struct ca_refs *emms;
	bool marks[TS_PIDS];
	bool others[TS_PIDS]; /* PIDs that are listed only if there is room */
};

/* Marks a PID of a wanted program.  If it is an ECM PID (ca: its CA
 * descriptor), marks the EMM PIDs of the CA system as others. */
static void take_pid(uint16_t pid, const struct desc *ca, void *arg)
{
	struct plan *plan = arg;
	const struct ca_refs *emms = plan->emms;

	plan->marks[pid] = true;
	for (size_t i = 0; ca != NULL && i < emms->n; i++)
		if (emms->list[i].caid == (ca->data[0] << 8 | ca->data[1]))
			plan->others[emms->list[i].pid] = true;
}

size_t program_pids(const struct psi *psi, const struct ca_refs *emms,
		    const struct msg_adapter_programs *wanted, bool atsc,
		    uint16_t *ret, size_t max)
{
	struct plan plan = { .emms = emms };
	const struct psi_program *programs;
	size_t n_programs = psi_programs(psi, &programs), n_marks = 0, n = 0;
	size_t placed = 0;

	for (size_t i = 0; i < ARRAY_LEN(table_pids); i++)
		plan.marks[table_pids[i]] = true;
	/* PID of the NIT; if the PAT has none it is 0, the PID of the PAT */
	plan.marks[psi_network_pid(psi)] = true;
	plan.marks[SI_PID_PSIP] = atsc;
	for (size_t i = 0; i < emms->n && wanted->emms; i++)
		plan.others[emms->list[i].pid] = true;
	for (size_t i = 0; i < wanted->n_pids; i++)
		plan.marks[wanted->pids[i]] = true;
	for (size_t i = 0; i < n_programs; i++) {
		const struct psi_program *p = &programs[i];
		struct pmt pmt;

		if (!has_number(wanted, p->number)) {
			if (wanted->tables)
				plan.others[p->pmt_pid] = true;
			continue;
		}
		plan.marks[p->pmt_pid] = true;
		if (p->pmt.data != NULL &&
		    pmt_decode(p->pmt.data, p->pmt.len, &pmt) == 0)
			pmt_each_pid(&pmt, take_pid, &plan);
	}
	for (uint16_t pid = 0; pid < TS_PID_NULL; pid++)
		n_marks += plan.marks[pid];
	for (uint16_t pid = 0; pid < TS_PID_NULL; pid++) {
		if (!plan.marks[pid] && !plan.others[pid])
			continue;
		n++;
		if (!plan.marks[pid] && n_marks++ >= max)
			continue;
		if (placed < max)
			ret[placed++] = pid;
	}
	return n;
}
