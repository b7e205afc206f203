/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/alarm_text.h"

#include <criterion/criterion.h>

static void writes_behind(const char *said, json_t *alarms, const char *want)
{
	struct buf b = { 0 };

	cr_assert_not_null(alarms);
	put_stream_alarms(&b, alarms, said);
	buf_append(&b, "", 1);
	cr_expect_str_eq((char *)buf_head(&b), want);
	buf_done(&b);
	json_decref(alarms);
}

static void writes(json_t *alarms, const char *want)
{
	writes_behind("", alarms, want);
}

Test(alarm_text, names_an_alarm_once_with_all_its_places)
{
	writes(json_pack("[{s:s, s:i}, {s:s, s:s}, {s:s, s:i}]",
			 "alarm", "continuity", "place", 1,
			 "alarm", "continuity", "place", "output",
			 "alarm", "no_querier", "place", 2),
	       "alarms: continuity (input 1, output), no_querier (input 2)");
}

Test(alarm_text, says_why_a_process_ended)
{
	writes(json_pack("[{s:s, s:s}]", "alarm", "worker",
			 "reason", "ended by signal 11\x1b"),
	       "alarms: worker (process: ended by signal 11?)");
}

Test(alarm_text, does_not_repeat_what_the_line_says)
{
	writes_behind("killed by signal 9 (since 14:03:05)",
		      json_pack("[{s:s, s:s}]", "alarm", "worker",
				"reason", "killed by signal 9"),
		      "alarms: worker (process)");
}

Test(alarm_text, leaves_the_reason_of_an_output_to_its_fault)
{
	writes(json_pack("[{s:s, s:i, s:s}]", "alarm", "output_fault",
			 "output", 2, "reason", "connect: refused"),
	       "alarms: output_fault (output 2)");
}

Test(alarm_text, is_empty_without_alarms)
{
	writes(json_array(), "");
}
