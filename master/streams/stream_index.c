/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/stream_index.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "master/streams/stream_proc.h"

#include <stdlib.h>
#include <string.h>

void stream_index_free(struct stream_index *x)
{
	free(x->procs);
	*x = (struct stream_index){ 0 };
}

static int compare(const struct stream_index *x, size_t i, const char *id)
{
	return strcmp(stream_proc_id(x->procs[i]), id);
}

/* Returns the index of the first process whose id is not less than id. */
static size_t lower_bound(const struct stream_index *x, const char *id)
{
	size_t from = 0, to = x->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare(x, middle, id) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

void stream_index_add(struct stream_index *x, struct stream_proc *p)
{
	size_t at = lower_bound(x, stream_proc_id(p));

	if (x->n == x->room) {
		x->room = MAX(2 * x->room, (size_t)16);
		x->procs = xrealloc(x->procs, x->room * sizeof *x->procs);
	}
	memmove(&x->procs[at + 1], &x->procs[at],
		(x->n++ - at) * sizeof *x->procs);
	x->procs[at] = p;
}

void stream_index_remove(struct stream_index *x, const struct stream_proc *p)
{
	size_t at = lower_bound(x, stream_proc_id(p));

	while (x->procs[at] != p)
		at++;
	memmove(&x->procs[at], &x->procs[at + 1],
		(--x->n - at) * sizeof *x->procs);
}

struct stream_proc *stream_index_find(const struct stream_index *x,
				      const char *id)
{
	struct stream_proc *removed = NULL;

	for (size_t i = lower_bound(x, id);
	     i < x->n && compare(x, i, id) == 0; i++) {
		if (!stream_proc_is_removed(x->procs[i]))
			return x->procs[i];
		removed = x->procs[i];
	}
	return removed;
}
