/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Visits the elements of an array in turn, some of them in each call.  The next
 * call continues at the place where the last one stopped, also in another
 * array. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct turns {
	size_t next; /* index of the next element */
	size_t left; /* elements that are still to be visited */
};

/* Writes the index of the next element in an array of n; false: all were
 * visited. */
static inline bool turns_next(struct turns *t, size_t n, size_t *ret_place)
{
	if (t->left == 0 || n == 0)
		return false;
	t->left--;
	*ret_place = t->next < n ? t->next : 0;
	t->next = *ret_place + 1;
	return true;
}
