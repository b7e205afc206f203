/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/adapter_programs.h"

#include "common/base/util.h"

#include <string.h>

void adapter_programs_add(struct msg_adapter_programs *p, uint16_t pnr)
{
	size_t i = 0;

	if (p->all)
		return;
	if (pnr == 0 || p->n == ARRAY_LEN(p->numbers)) {
		*p = (struct msg_adapter_programs){ .all = true };
		return;
	}
	while (i < p->n && p->numbers[i] < pnr)
		i++;
	if (i < p->n && p->numbers[i] == pnr)
		return;
	memmove(p->numbers + i + 1, p->numbers + i,
		(p->n - i) * sizeof *p->numbers);
	p->numbers[i] = pnr;
	p->n++;
}

bool adapter_programs_equal(const struct msg_adapter_programs *a,
			    const struct msg_adapter_programs *b)
{
	return a->all == b->all && a->tables == b->tables && a->n == b->n &&
	       memcmp(a->numbers, b->numbers, a->n * sizeof *a->numbers) == 0;
}
