/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/entry.h"

#include <criterion/criterion.h>

Test(entry, is_found_by_the_text_of_a_key)
{
	json_t *list = json_pack("[i, {s:i}, {s:s}, {s:s}, {s:s}]", 1, "id", 5,
				 "id", "a", "id", "b", "id", "a");

	cr_expect_eq(entry_place(list, 0, "id", "a"), 2);
	cr_expect_eq(entry_place(list, 2, "id", "a"), 2);
	cr_expect_eq(entry_place(list, 3, "id", "a"), 4);
	cr_expect_eq(entry_place(list, 5, "id", "a"), 5);
	cr_expect_eq(entry_find(list, "id", "b"), json_array_get(list, 3));
	json_decref(list);
}

Test(entry, is_not_found_without_its_list_its_key_or_a_text)
{
	json_t *list = json_pack("[{s:s}]", "id", "a");

	cr_expect_eq(entry_place(list, 0, "id", "b"), 1);
	cr_expect_eq(entry_place(list, 0, "name", "a"), 1);
	cr_expect_eq(entry_place(list, 0, "id", NULL), 1);
	cr_expect_eq(entry_place(NULL, 0, "id", "a"), 0);
	cr_expect_null(entry_find(list, "id", "b"));
	cr_expect_null(entry_find(NULL, "id", "a"));
	json_decref(list);
}
