/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/table.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>

static void use_utf8(void)
{
	cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
}

TestSuite(table, .init = use_utf8);

static const struct table_column columns[] = {
	{ "ID", 0, false, "id", CELL_TEXT },
	{ "NAME", 6, false, NULL, CELL_TEXT },
	{ "N", 0, true, "n", CELL_ERRORS },
};

static struct table *sample(void)
{
	struct table *t = table_new(columns, 3);

	table_row(t);
	table_set(t, 0, TABLE_PLAIN, "a");
	table_set(t, 1, TABLE_PLAIN, "\u65e5\u672c");
	table_set(t, 2, TABLE_BAD, "12345");
	table_row(t);
	table_set(t, 0, TABLE_PLAIN, "long");
	table_set(t, 1, TABLE_GOOD, "0123456789");
	table_set(t, 2, TABLE_PLAIN, "7");
	table_row(t); /* cells that are not set */
	table_set(t, 0, TABLE_PLAIN, "b");
	return t;
}

static void writes(const struct table_style *style, const char *want)
{
	struct table *t = sample();
	struct buf b = { 0 };

	table_write(t, style, &b);
	buf_append(&b, "", 1);
	cr_assert_str_eq((char *)buf_head(&b), want);
	buf_done(&b);
	table_free(&t);
}

Test(table, aligns_by_columns_of_the_terminal)
{
	writes(&(struct table_style){ .end = "\n" },
	       "ID    NAME        N\n"
	       "a     \u65e5\u672c    12345\n"
	       "long  01234\u2026      7\n"
	       "b\n");
}

Test(table, cuts_lines_and_rows)
{
	writes(&(struct table_style){ .end = "|", .width = 10, .max_rows = 1 },
	       "ID  NAME|a   \u65e5\u672c|");
}

Test(table, colours_only_where_asked)
{
	struct table *t = table_new(columns, 1);
	struct buf b = { 0 };

	table_row(t);
	table_set(t, 0, TABLE_BAD, "x");
	table_write(t, &(struct table_style){ .colour = true, .end = "\n" },
		    &b);
	cr_assert_not_null(memmem(buf_head(&b), buf_len(&b),
				  "\033[31;1mx\033[0m", 12));
	buf_reset(&b, 0);
	table_write(t, &(struct table_style){ .end = "\n" }, &b);
	cr_assert_null(memchr(buf_head(&b), '\033', buf_len(&b)));
	buf_done(&b);
	table_free(&t);
}

Test(table, fills_columns_from_the_members_of_an_object)
{
	static const struct table_column forms[] = {
		{ "ID", 0, false, "id", CELL_TEXT },
		{ "OWN", 0, false, NULL, CELL_TEXT },
		{ "N", 0, true, "n", CELL_NUMBER },
		{ "CC", 0, true, "cc", CELL_ERRORS },
		{ "AGE", 0, true, "age", CELL_DURATION },
		{ "NOTE", 0, false, "note", CELL_NOTE },
	};
	struct table *t = table_new(forms, ARRAY_LEN(forms));
	json_t *full = json_pack("{s:s, s:i, s:i, s:i, s:s}", "id", "a", "n",
				 5, "cc", 2, "age", 60, "note", "x");
	json_t *bare = json_object();
	struct buf b = { 0 };

	table_row_of(t, full);
	table_row_of(t, bare);
	table_set(t, 1, TABLE_PLAIN, "own");
	table_row_of(t, NULL);
	table_write(t, &(struct table_style){ .colour = true, .end = "|" },
		    &b);
	buf_append(&b, "", 1);
	cr_expect_not_null(strstr((char *)buf_head(&b),
				  "|a        5  \033[31;1m 2\033[0m  60 s"
				  "  \033[2mx\033[0m|"));
	cr_expect_not_null(strstr((char *)buf_head(&b),
				  "|    own  0   0   0 s||"));
	buf_done(&b);
	table_free(&t);
	json_decref(full);
	json_decref(bare);
}
