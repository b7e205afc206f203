/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/program_pids.h"

#include "worker/ts/pmt.h"

/* PAT, CAT, NIT, SDT, EIT, TDT. */
static const uint16_t table_pids[] = { 0, 1, 16, 17, 18, 20 };

static bool has_number(const struct msg_adapter_programs *wanted,
		       uint16_t number)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->numbers[i] == number)
			return true;
	return wanted->all;
}

static void mark_ca(struct desc_loop loop, bool *marks)
{
	struct desc d;

	while (desc_next(&loop, &d))
		if (d.tag == DESC_CA && d.len >= 4)
			marks[(d.data[2] << 8 | d.data[3]) & 0x1fff] = true;
}

static void mark_program(const struct psi_program *p, bool *marks)
{
	struct pmt pmt;

	if (p->pmt.data == NULL ||
	    pmt_decode(p->pmt.data, p->pmt.len, &pmt) < 0)
		return;
	marks[pmt.pcr_pid] = true;
	mark_ca(pmt.descriptors, marks);
	for (size_t i = 0; i < pmt.n_streams; i++) {
		marks[pmt.streams[i].pid] = true;
		mark_ca(pmt.streams[i].descriptors, marks);
	}
}

size_t program_pids(const struct psi *psi,
		    const struct msg_adapter_programs *wanted, uint16_t *ret,
		    size_t max)
{
	const struct psi_program *programs;
	size_t n_programs = psi_programs(psi, &programs), n_marks = 0, n = 0;
	size_t placed = 0;
	bool marks[TS_PIDS] = { false }, others[TS_PIDS] = { false };

	for (size_t i = 0; i < ARRAY_LEN(table_pids); i++)
		marks[table_pids[i]] = true;
	for (size_t i = 0; i < n_programs; i++) {
		bool is_wanted = has_number(wanted, programs[i].number);

		if (is_wanted)
			marks[programs[i].pmt_pid] = true;
		else if (wanted->tables)
			others[programs[i].pmt_pid] = true;
		if (is_wanted)
			mark_program(&programs[i], marks);
	}
	for (uint16_t pid = 0; pid < TS_PID_NULL; pid++)
		n_marks += marks[pid];
	/* tables of other programs take the room that is left */
	for (uint16_t pid = 0; pid < TS_PID_NULL; pid++) {
		if (!marks[pid] && !others[pid])
			continue;
		n++;
		if (!marks[pid] && n_marks++ >= max)
			continue;
		if (placed < max)
			ret[placed++] = pid;
	}
	return n;
}
