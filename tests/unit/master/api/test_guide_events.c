/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of the programme guide. */
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>

static void report(const char *stream, const char *events)
{
	const json_t *json = fakes_json(events);

	fakes_clear();
	fakes.watcher.on_present(&(struct msg_epg_present){
		.stream = stream, .pnr = 7, .events = json },
		fakes.watcher.arg);
	json_decref((json_t *)(uintptr_t)json);
}

Test(guide_events, are_for_who_asks)
{
	open_world("{'make_stream':[{'id':'a001','name':'A','input':[]}]}");
	cr_expect_not(fakes.watcher.wants(fakes.watcher.arg));
	report("a001", "{'now':{}}");
	cr_expect_str_eq(fakes.told, "");
	fakes.wants_guide = true;
	cr_expect(fakes.watcher.wants(fakes.watcher.arg));
	report("a001", "{'now':{'event_id':1},'next':{'event_id':2}}");
	cr_expect_str_eq(fakes.told, "soon {'channel_id':'a001',"
			 "'next':{'event_id':2},'now':{'event_id':1},"
			 "'pnr':7,'scope':'epg_event'}\n");
	report("a001", "{}");
	cr_expect_str_eq(fakes.told, "soon {'channel_id':'a001','pnr':7,"
			 "'scope':'epg_event'}\n");
	close_world();
}

/* The worker may have been taken over. */
Test(guide_events, of_an_unknown_stream_or_no_object_are_dropped)
{
	open_world("{'make_stream':[{'id':'a001','name':'A','input':[]}]}");
	fakes.wants_guide = true;
	report("b002", "{'now':{}}");
	cr_expect_str_eq(fakes.told, "");
	report("a001", "{'now':[1],'next':7,'more':{}}");
	cr_expect_str_eq(fakes.told, "soon {'channel_id':'a001','pnr':7,"
			 "'scope':'epg_event'}\n");
	close_world();
}
