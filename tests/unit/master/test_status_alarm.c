/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alarms of a stream as events. */
#include "master/status_stream.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static const struct msg_input_status playing = {
	.position = 1, .active = true, .open = true,
};

/* The event without its time, or "" when there is none. */
static const char *next_alarm(struct status_stream *s, uint64_t now_ms)
{
	static char text[256];
	json_t *event = status_stream_alarm(s, now_ms);
	char *dump;

	if (event == NULL)
		return "";
	cr_assert_gt(json_integer_value(json_object_get(event, "time")), 0);
	(void)json_object_del(event, "time");
	(void)json_object_del(event, "scope");
	(void)json_object_del(event, "channel_id");
	dump = json_dumps(event, JSON_COMPACT);
	(void)snprintf(text, sizeof text, "%s", dump);
	for (char *c = text; *c != '\0'; c++)
		if (*c == '"')
			*c = '\'';
	free(dump);
	json_decref(event);
	return text;
}

Test(status, tells_alarms_as_they_come_and_go)
{
	struct status_stream *s = status_stream_new("a");
	struct msg_stream_status m = {
		.alarms = 1u << ALARM_CC, .n_inputs = 1,
		.inputs = { playing }, .n_changes = 1,
		.changes = { { 1, ALARM_PAT, true, 7 } },
	};

	m.inputs[0].alarms = 1u << ALARM_PAT;
	status_stream_hear(s, &m, false);
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'continuity','priority':1,'raised':true}");
	cr_assert_str_eq(next_alarm(s, 1), "{'place':1,'alarm':'pat',"
			 "'priority':1,'raised':true,'count':7}");
	cr_assert_str_eq(next_alarm(s, 1), "");
	/* the same again is no news; the end of the process is */
	status_stream_hear(s, &m, false);
	cr_assert_str_eq(next_alarm(s, 1), "");
	status_stream_miss(s);
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'continuity','priority':1,'raised':false}");
	cr_assert_str_eq(next_alarm(s, 1), "{'place':1,'alarm':'pat',"
			 "'priority':1,'raised':false}");
	cr_assert_str_eq(next_alarm(s, 1), "");
	status_stream_free(&s);
}

Test(status, tells_no_flood_of_alarms_but_how_it_ended)
{
	struct status_stream *s = status_stream_new("a");
	struct msg_stream_status m = { 0 };
	unsigned told = 0;

	for (unsigned i = 0; i < 1000; i++) {
		m.alarms ^= 1u << ALARM_CC;
		status_stream_hear(s, &m, false);
		told += next_alarm(s, 1)[0] != '\0';
	}
	cr_assert_leq(told, 100);
	m.alarms = 1u << ALARM_CC;
	status_stream_hear(s, &m, false);
	while (next_alarm(s, 20000)[0] != '\0')
		;
	m.alarms = 0;
	status_stream_hear(s, &m, false);
	cr_assert_str_eq(next_alarm(s, 20000), "{'place':'output','alarm':"
			 "'continuity','priority':1,'raised':false}");
	status_stream_free(&s);
}
