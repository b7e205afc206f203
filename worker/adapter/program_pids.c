/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/program_pids.h"

/* PAT, CAT, NIT, SDT, EIT, TDT. */
static const uint16_t table_pids[] = { 0, 1, 16, 17, 18, 20 };

size_t program_pids(const struct psi *psi, uint16_t *ret, size_t max)
{
	const uint8_t *classes = psi_classes(psi);
	size_t n = 0;

	for (; n < ARRAY_LEN(table_pids) && n < max; n++)
		ret[n] = table_pids[n];
	for (uint16_t pid = 32; pid < TS_PID_NULL; pid++) {
		if (classes[pid] == PID_UNKNOWN)
			continue;
		if (n < max)
			ret[n] = pid;
		n++;
	}
	return n;
}
