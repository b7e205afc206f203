/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/unit_buffer.h"

static size_t place(const struct unit_buffer *b, size_t nth)
{
	return (b->first + nth) % UNIT_BUFFER_UNITS;
}

void unit_buffer_reset(struct unit_buffer *b)
{
	b->first = b->n = 0;
	b->filled = 0;
}

/* Removes the units that leave by the nth packet, but not the one that
 * arrives. */
static void drain(struct unit_buffer *b, uint64_t nth)
{
	while (b->n > 1 && b->units[b->first].at <= nth) {
		b->filled -= b->units[b->first].bytes;
		b->first = place(b, 1);
		b->n--;
	}
}

bool unit_buffer_begin(struct unit_buffer *b, uint64_t at, uint64_t nth)
{
	/* another time base, or more than fits: it begins anew */
	if (b->n == UNIT_BUFFER_UNITS ||
	    (b->n > 0 && at < b->units[place(b, b->n - 1)].at))
		unit_buffer_reset(b);
	b->n++;
	b->units[place(b, b->n - 1)].at = at;
	b->units[place(b, b->n - 1)].bytes = 0;
	return at < nth;
}

bool unit_buffer_add(struct unit_buffer *b, uint32_t bytes, uint64_t nth)
{
	if (b->n == 0)
		return false;
	drain(b, nth);
	b->units[place(b, b->n - 1)].bytes += bytes;
	b->filled += bytes;
	if (b->filled <= b->size)
		return false;
	unit_buffer_reset(b);
	return true;
}
