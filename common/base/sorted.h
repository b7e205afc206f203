/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds things that stand in order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Less than, equal to or greater than 0: the i-th stands before what is
 * looked for, is it, or stands behind it. */
typedef int sorted_order_fn(size_t i, const void *arg);

/* Where it is among n, or where it would go. */
static inline size_t sorted_place(size_t n, sorted_order_fn *order,
				  const void *arg, bool *ret_found)
{
	size_t low = 0, high = n;

	*ret_found = false;
	while (low < high && !*ret_found) {
		size_t middle = low + (high - low) / 2;
		int o = order(middle, arg);

		*ret_found = o == 0;
		if (o < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return *ret_found ? high : low;
}
