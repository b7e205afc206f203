/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of splice commands. */
#include "common/base/util.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <string.h>

static void report(const char *record)
{
	json_t *json = fakes_json(record);

	fakes_clear();
	fakes.on_splice("a001", json, fakes.on_splice_arg);
	json_decref(json);
}

Test(cues, are_events_for_who_asks)
{
	open_world("{}");
	report("{'pid':500,'command':'time_signal'}");
	cr_expect_str_eq(fakes.told, "");
	fakes.wants_cues = true;
	report("{'pid':500,'command':'time_signal'}");
	cr_expect_str_eq(fakes.told, "soon {'channel_id':'a001',"
			 "'command':'time_signal','cue':{"
			 "'command':'time_signal','pid':500},'pid':500,"
			 "'scope':'cue_event'}\n");
	/* the clock of 33 bits goes round */
	report("{'pid':500,'command':'time_signal','pts_time':8589934591,"
	       "'pts_adjustment':3}");
	cr_expect(strstr(fakes.told, "'pts':2,"), "%s", fakes.told);
	close_world();
}

/* The worker of a stream may have been taken over. */
Test(cues, of_a_broken_worker_are_dropped)
{
	static const char *const list[] = {
		"{}", "{'pid':'x','command':'time_signal'}",
		"{'pid':500,'command':7}", "{'command':'time_signal'}",
	};
	char text[8192] = "";
	json_t *large;

	open_world("{}");
	fakes.wants_cues = true;
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		report(list[i]);
		cr_expect_str_eq(fakes.told, "", "%s", list[i]);
	}
	memset(text, 'a', sizeof text - 1);
	large = json_pack("{s:i, s:s, s:s}", "pid", 500, "command",
			  "time_signal", "raw", text);
	fakes.on_splice("a001", large, fakes.on_splice_arg);
	cr_expect_str_eq(fakes.told, "");
	json_decref(large);
	report("{'pid':500,'command':'x','pts_time':-1,"
	       "'pts_adjustment':9223372036854775807}");
	cr_expect(strstr(fakes.told, "'pts':8589934590,"), "%s", fakes.told);
	close_world();
}
