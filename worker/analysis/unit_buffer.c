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

/* Removes the frames of the first unit that leave by the nth packet; true: more
 * of its frames stay.  A unit has as many frames as fit up to the next unit. */
static bool drain_frames(struct unit_buffer *b, uint64_t nth)
{
	size_t first = b->first;
	uint64_t at = b->units[first].at;
	uint64_t duration = b->units[place(b, 1)].at - at;
	uint64_t all = (duration + b->frame / 2) / b->frame;
	uint64_t gone = (nth - at) / b->frame + 1;
	uint32_t bytes;

	if (gone >= all)
		return false;
	bytes = (uint32_t)(b->units[first].bytes * gone / all);
	b->units[first].at += gone * b->frame;
	b->units[first].bytes -= bytes;
	b->filled -= bytes;
	return true;
}

/* Removes all that leaves by the nth packet, except the unit that is
 * arriving. */
static void drain(struct unit_buffer *b, uint64_t nth)
{
	while (b->n > 1 && b->units[b->first].at <= nth) {
		if (b->frame > 0 && drain_frames(b, nth))
			return;
		b->filled -= b->units[b->first].bytes;
		b->first = place(b, 1);
		b->n--;
	}
}

bool unit_buffer_begin(struct unit_buffer *b, uint64_t at, uint64_t nth)
{
	drain(b, nth);
	/* with another time base, or more units than fit, start empty */
	if (b->n == UNIT_BUFFER_UNITS ||
	    (b->n > 0 && at < b->units[place(b, b->n - 1)].at))
		unit_buffer_reset(b);
	b->n++;
	b->units[place(b, b->n - 1)].at = at;
	b->units[place(b, b->n - 1)].bytes = 0;
	return at < nth;
}

/* True: the buffer overflows, after what has left by the nth packet was
 * removed.  Few packets fill the buffer, so this is not a part of
 * unit_buffer_add(). */
__attribute__((noinline)) static bool overflow(struct unit_buffer *b,
					       uint64_t nth)
{
	drain(b, nth);
	if (b->filled <= b->size)
		return false;
	unit_buffer_reset(b);
	return true;
}

bool unit_buffer_add(struct unit_buffer *b, uint32_t bytes, uint64_t nth)
{
	if (b->n == 0)
		return false;
	b->units[place(b, b->n - 1)].bytes += bytes;
	b->filled += bytes;
	/* units that have left are removed only if the buffer seems full */
	return b->filled > b->size && overflow(b, nth);
}
