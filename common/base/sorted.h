/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binary search. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Compares item i with the wanted item.  Returns less than 0 if item i precedes
 * it, 0 if both are equal, more than 0 if item i follows. */
typedef int sorted_order_fn(size_t i, const void *arg);

/* The index of the wanted item among n, or the index to insert it at. */
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
