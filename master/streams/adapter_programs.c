/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/adapter_programs.h"

#include "common/base/util.h"

#include <string.h>

/* Inserts a number, unless it is there, into an ascending list with room for
 * it. */
static void insert(uint16_t *list, size_t *n, uint16_t number)
{
	size_t i = 0;

	while (i < *n && list[i] < number)
		i++;
	if (i < *n && list[i] == number)
		return;
	memmove(list + i + 1, list + i, (*n - i) * sizeof *list);
	list[i] = number;
	++*n;
}

void adapter_programs_add(struct msg_adapter_programs *p, uint16_t pnr)
{
	if (p->all)
		return;
	if (pnr == 0 || p->n == ARRAY_LEN(p->numbers)) {
		p->all = true;
		p->n = 0;
		return;
	}
	insert(p->numbers, &p->n, pnr);
}

void adapter_programs_add_pid(struct msg_adapter_programs *p, uint16_t pid)
{
	if (pid != 0 && p->n_pids < ARRAY_LEN(p->pids))
		insert(p->pids, &p->n_pids, pid);
}

bool adapter_programs_equal(const struct msg_adapter_programs *a,
			    const struct msg_adapter_programs *b)
{
	return a->all == b->all && a->tables == b->tables &&
	       a->emms == b->emms && a->n == b->n && a->n_pids == b->n_pids &&
	       memcmp(a->numbers, b->numbers,
		      a->n * sizeof *a->numbers) == 0 &&
	       memcmp(a->pids, b->pids, a->n_pids * sizeof *a->pids) == 0;
}
