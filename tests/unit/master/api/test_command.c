/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>

Test(command, an_unknown_one_is_answered_with_the_nearest)
{
	open_world("{}");
	expect_error("{'cmd':'set-straem'}", 400, "cmd: \"set-straem\" is not "
		     "a command; is it \"set-stream\"?");
	expect_error("{'cmd':'lod'}", 400,
		     "cmd: \"lod\" is not a command; is it \"load\"?");
	expect_error("{'cmd':'x'}", 400, "cmd: \"x\" is not a command");
	close_world();
}
