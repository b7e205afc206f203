/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that will be needed soon, called for at once.
 *
 * Whoever wakes after others had their turn finds nothing of his own near, and
 * waits for each line and each page in turn, because one leads to the next.
 * Called for together they come side by side.
 *
 * Nothing but a hint: addresses may be stale, what lies there is not read.
 * Embedded; zeroed memory calls for nothing.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

enum {
	WARM_LINE = 64,
	WARM_MAX = 96, /* lines; what is more is not called for */
};

struct warm {
	size_t n;
	const uint8_t *lines[WARM_MAX];
};

/* The lines of these bytes, too. */
static inline void warm_add(struct warm *w, const void *at, size_t len)
{
	const uint8_t *line = at;
	size_t into = (uintptr_t)at % WARM_LINE;

	for (size_t i = 0; i < into + len && w->n < WARM_MAX; i += WARM_LINE)
		w->lines[w->n++] = line - into + i;
}

static inline void warm_up(const struct warm *w)
{
	for (size_t i = 0; i < w->n; i++)
		__builtin_prefetch(w->lines[i], 1);
}
