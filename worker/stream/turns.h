/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Visits the elements of an array in turn.  The caller sets how many are still
 * to be visited.  The next visit continues behind the last visited index, also
 * in another array. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct turns {
	size_t next; /* index of the next element */
	size_t left; /* elements that are still to be visited */
};

/* Writes the index of the next element in an array of n.  False: no element is
 * to be visited, or the array is empty. */
static inline bool turns_next(struct turns *t, size_t n, size_t *ret_place)
{
	if (t->left == 0 || n == 0)
		return false;
	t->left--;
	*ret_place = t->next < n ? t->next : 0;
	t->next = *ret_place + 1;
	return true;
}
