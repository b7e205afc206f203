/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/errmsg.h"

#include "common/base/utf8.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(errmsg, keeps_the_sentence_and_returns_the_error)
{
	struct errmsg why = { 0 };

	cr_assert_eq(errmsg_fail(&why, -EINVAL, "output.port: %d", 70000),
		     -EINVAL);
	cr_assert_str_eq(why.text, "output.port: 70000");
}

Test(errmsg, puts_the_place_in_front)
{
	struct errmsg why = { 0 };

	(void)errmsg_fail(&why, -EINVAL, "not a port");
	errmsg_prefix(&why, "make_stream[%d]: ", 3);
	cr_assert_str_eq(why.text, "make_stream[3]: not a port");
}

Test(errmsg, has_no_part_of_a_character)
{
	struct errmsg why = { 0 };

	errmsg_set(&why, "\"%.3s\" is not known", "\u0444\u0445");
	cr_assert_str_eq(why.text, "\"\u0444?\" is not known");
}

Test(errmsg, is_not_truncated_inside_a_character)
{
	static const char *const characters[] = { "x", "\u00e4", "\u20ac",
						  "\U0001f600" };

	for (size_t i = 0; i < 4; i++) {
		for (int before = 0; before < 8; before++) {
			struct errmsg why = { 0 };
			char text[400] = "";
			size_t n;

			for (size_t k = 0; k < 80; k++)
				(void)strcat(text, characters[i]);
			errmsg_set(&why, "%250s%.*s%s", "", before, "xxxxxxxx",
				   text);
			n = strlen(why.text);
			cr_assert(utf8_is_valid(why.text, n));
			cr_assert_gt(n, sizeof why.text - 1 - UTF8_MAX);
			errmsg_set(&why, "%s", text);
			errmsg_prefix(&why, "%200s%.*s", "", before,
				      "xxxxxxxx");
			cr_assert(utf8_is_valid(why.text, strlen(why.text)));
		}
	}
}
