/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/surplus.h"

#include <criterion/criterion.h>

Test(surplus, is_counted_by_mount)
{
	struct surplus *s = surplus_new();

	cr_assert_eq(surplus_get(s, 7), 0u);
	surplus_take(s, 7);
	for (uint64_t i = 1; i <= 5000; i++)
		surplus_add(s, i);
	surplus_add(s, 7);
	cr_assert_eq(surplus_get(s, 7), 2u);
	cr_assert_eq(surplus_get(s, 8), 1u);
	surplus_take(s, 7);
	surplus_take(s, 7);
	surplus_take(s, 7);
	cr_assert_eq(surplus_get(s, 7), 0u);
	surplus_free(&s);
	cr_assert_null(s);
	surplus_free(&s);
}
