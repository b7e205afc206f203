/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/errmsg.h"

#include <criterion/criterion.h>
#include <errno.h>

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
