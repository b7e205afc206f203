/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/typo.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *nearest(const char *word)
{
	static const char *const known[] = { "load", "reload", "set-stream",
					     "get-stream", "lcn" };
	struct typo typo = { .word = word };

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		typo_compare(&typo, known[i]);
	return typo.nearest != NULL ? typo.nearest : "";
}

Test(typo, the_nearest_word_is_the_one_with_the_fewest_other_letters)
{
	cr_assert_str_eq(nearest("set-straem"), "set-stream");
	cr_assert_str_eq(nearest("get-streams"), "get-stream");
	cr_assert_str_eq(nearest("relod"), "reload");
	cr_assert_str_eq(nearest("loda"), "load");
}

Test(typo, another_word_is_no_misspelling)
{
	cr_assert_str_eq(nearest("own"), "");
	cr_assert_str_eq(nearest("set-strxyz"), "");
	cr_assert_str_eq(nearest(""), "");
}

Test(typo, long_words_are_not_compared)
{
	char word[66], known[65];
	struct typo typo = { .word = word };

	memset(word, 'a', 65);
	word[65] = '\0';
	memset(known, 'a', 64);
	known[64] = '\0';
	typo_compare(&typo, known);
	cr_assert_null(typo.nearest);
	word[64] = '\0';
	known[63] = 'b';
	typo_compare(&typo, known);
	cr_assert_eq(typo.nearest, known);
}
