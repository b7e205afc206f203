/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prefetches the memory that a worker uses after each wake-up.
 *
 * When a worker wakes, other processes have replaced its data in the caches.
 * Pointers lead from one line to the next, so the misses would follow one
 * another.  Prefetched together they overlap.
 *
 * A prefetch is a hint: stale addresses do no harm, no value is read.
 * Embedded; zeroed memory prefetches nothing.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

enum {
	PREFETCH_LINE = 64,
	PREFETCH_MAX = 96, /* cache lines; further ones are ignored */
};

struct prefetch {
	size_t n;
	const uint8_t *lines[PREFETCH_MAX];
};

/* Adds the cache lines of len bytes. */
static inline void prefetch_add(struct prefetch *w, const void *at, size_t len)
{
	const uint8_t *line = at;
	size_t into = (uintptr_t)at % PREFETCH_LINE;

	for (size_t i = 0; i < into + len && w->n < PREFETCH_MAX;
	     i += PREFETCH_LINE)
		w->lines[w->n++] = line - into + i;
}

static inline void prefetch_all(const struct prefetch *w)
{
	for (size_t i = 0; i < w->n; i++)
		__builtin_prefetch(w->lines[i], 1);
}
