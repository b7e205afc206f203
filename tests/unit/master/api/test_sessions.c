/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sessions and close-session. */
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <string.h>

#define LIST "[{'client_id':7,'channel_id':'a','addr':'1.2.3.4','uptime':5}," \
	     "{'client_id':9,'channel_id':'gone','addr':'::1','uptime':0}]"

static void set_up(void)
{
	open_world("{'make_stream':[{'id':'a','name':'A','type':'spts',"
		   "'enable':false}]}");
}

/* The status after this report of the reconciler. */
static int hear(const char *command, const char *list)
{
	cr_expect_eq(post(command), 0, "%s: answered at once: %s", command,
		     fakes.body);
	fakes_tell_sessions(list);
	return fakes.status;
}

Test(sessions, are_listed_with_the_names_of_their_streams)
{
	set_up();
	cr_assert_eq(hear("{'cmd':'sessions'}", LIST), 200);
	cr_assert_str_eq(said(),
		"{'sessions':[{'client_id':7,'channel_id':'a',"
		"'addr':'1.2.3.4','uptime':5,'channel_name':'A'},"
		"{'client_id':9,'channel_id':'gone','addr':'::1',"
		"'uptime':0}]}");
	cr_assert_eq(hear("{'cmd':'sessions'}", "[]"), 200);
	cr_assert_str_eq(said(), "{'sessions':[]}");
}

Test(sessions, are_unknown_without_a_reply)
{
	set_up();
	cr_assert_eq(hear("{'cmd':'sessions'}", NULL), 503);
	cr_assert_eq(hear("{'cmd':'close-session','id':7}", NULL), 503);
	cr_assert_str_eq(fakes.told, "");
}

Test(sessions, are_closed_by_number)
{
	set_up();
	cr_assert_eq(hear("{'cmd':'close-session','id':9}", LIST), 200);
	cr_assert_str_eq(said(), "{'close-session':'ok'}");
	cr_assert_str_eq(fakes.told, "kick 9\n");
	cr_assert_eq(hear("{'cmd':'close-session','id':'7'}", LIST), 200);
	cr_assert_str_eq(fakes.told, "kick 7\n");
	cr_assert_eq(hear("{'cmd':'close-session','id':8}", LIST), 404);
	cr_assert_str_eq(fakes.told, "");
}

Test(sessions, are_not_closed_by_anything_else)
{
	set_up();
	expect_error("{'cmd':'close-session'}", 400, "id: is missing");
	expect_error("{'cmd':'close-session','id':'x'}", 400,
		     "id: is not the number of a session");
	expect_error("{'cmd':'close-session','id':-7}", 400,
		     "id: is not the number of a session");
	expect_error("{'cmd':'close-session','id':'7x'}", 400,
		     "id: is not the number of a session");
	expect_error("{'cmd':'close-session','id':7.5}", 400,
		     "id: is not the number of a session");
}

Test(sessions, may_be_requested_by_a_client_that_disconnects)
{
	set_up();
	cr_assert_eq(post("{'cmd':'sessions'}"), 0);
	api_gone(w.api, NULL);
	fakes_tell_sessions(LIST);
	cr_assert_eq(fakes.status, 0);
}
