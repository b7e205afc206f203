/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/file_list.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct file_list list;
static struct errmsg why;

static int read_text(const char *text)
{
	return file_list_read("/clips/list", text, strlen(text), &list, &why);
}

static void names(const char *text, const char *path)
{
	cr_assert_eq(read_text(text), 0, "%s: %s", text, why.text);
	cr_assert_eq(list.n, 1);
	cr_assert_str_eq(list.paths[0], path);
	file_list_done(&list);
}

Test(file_list, a_name_is_all_of_a_line_but_blanks_at_its_end)
{
	names("one.ts", "/clips/one.ts");
	names("/else/one.ts\n", "/else/one.ts");
	names("#EXTM3U\r\n\r\n two  words.ts \t\r\n#", "/clips/ two  words.ts");
	names("\xc3\xb6/\xe6\x97\xa5.ts", "/clips/\xc3\xb6/\xe6\x97\xa5.ts");
	/* the mark of some editors, before a name and before a comment */
	names("\xef\xbb\xbfone.ts", "/clips/one.ts");
	names("\xef\xbb\xbf#EXTM3U\none.ts", "/clips/one.ts");
	names("\xef\xbbone.ts", "/clips/\xef\xbbone.ts");
}

Test(file_list, reports_the_line_of_a_name)
{
	cr_assert_eq(read_text("a\n\n#c\r\nd\ne"), 0);
	cr_assert_eq(list.n, 3);
	cr_assert_eq(list.lines[0], 1);
	cr_assert_eq(list.lines[1], 4);
	cr_assert_eq(list.lines[2], 5);
	file_list_done(&list);
}

Test(file_list, an_invalid_list_is_reported)
{
	static const char *const nothing[] = {
		"", "\n\r\n", "# one.ts", "\xef\xbb\xbf", " \t\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(nothing); i++) {
		cr_assert_eq(read_text(nothing[i]), -EINVAL, "%zu", i);
		cr_assert_str_eq(why.text, "/clips/list: the list is empty");
	}
	cr_assert_eq(file_list_read("/l", "a\0b\n", 4, &list, &why), -EINVAL);
	cr_assert_str_eq(why.text, "/l: not a list of files");
}

Test(file_list, has_a_bound)
{
	size_t len = 4 * ((size_t)FILE_LIST_MAX + 1);
	char *text = malloc(len);

	cr_assert_not_null(text);
	for (size_t i = 0; i < len; i += 4)
		memcpy(text + i, "a.b\n", 4);
	cr_assert_eq(file_list_read("/l", text, len - 4, &list, &why), 0);
	cr_assert_eq(list.n, (size_t)FILE_LIST_MAX);
	cr_assert_str_eq(list.paths[FILE_LIST_MAX - 1], "/a.b");
	file_list_done(&list);
	cr_assert_eq(file_list_read("/l", text, len, &list, &why), -EINVAL);
	cr_assert_str_eq(why.text, "/l: has more than 10000 files");
	cr_assert_null(list.paths);
	free(text);
}
