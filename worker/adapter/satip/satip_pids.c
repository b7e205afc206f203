/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip/satip_pids.h"

#include <string.h>

bool satip_pids_equal(const struct satip_pids *a, const struct satip_pids *b)
{
	return a->n == b->n &&
	       memcmp(a->list, b->list, a->n * sizeof a->list[0]) == 0;
}

static void print(struct buf *to, const char *name, const uint16_t *list,
		  size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(to, "%s%u", i == 0 ? name : ",", list[i]);
}

void satip_pids_print(const struct satip_pids *p, struct buf *to)
{
	print(to, "pids=", p->list, p->n);
}

/* Writes the PIDs of a that are not in b; returns their number. */
static size_t subtract(const struct satip_pids *a, const struct satip_pids *b,
		       uint16_t ret[SATIP_PIDS_MAX])
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < a->n; i++) {
		while (k < b->n && b->list[k] < a->list[i])
			k++;
		if (k == b->n || b->list[k] != a->list[i])
			ret[n++] = a->list[i];
	}
	return n;
}

void satip_pids_print_change(const struct satip_pids *from,
			     const struct satip_pids *to, struct buf *out)
{
	uint16_t list[SATIP_PIDS_MAX];
	size_t added = subtract(to, from, list), removed;

	print(out, "addpids=", list, added);
	removed = subtract(from, to, list);
	print(out, added > 0 ? "&delpids=" : "delpids=", list, removed);
}
