/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/log.h"
#include "master/status/system_alarms.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void no_line(enum log_level level, const char *component,
		    const char *text, void *arg)
{
	(void)level, (void)component, (void)text, (void)arg;
}

/* The events of a list "log a", "host b": "+log a;-host;". */
static const char *take(struct system_alarms *a, const char *const *names)
{
	static char text[256];
	json_t *list = json_array(), *events, *event;
	size_t i, len = 0;

	log_open(no_line, NULL, LOG_LEVEL_INFO);
	for (; *names != NULL; names += 2)
		system_alarms_add(list, names[0], names[1]);
	events = system_alarms_take(a, list);
	text[0] = '\0';
	json_array_foreach(events, i, event) {
		const char *name = json_string_value(
			json_object_get(event, "alarm"));
		const char *reason = json_string_value(
			json_object_get(event, "reason"));

		cr_assert_str_eq(json_string_value(json_object_get(event,
								   "scope")),
				 "alarm");
		if (json_is_true(json_object_get(event, "raised")))
			len += (size_t)snprintf(text + len, sizeof text - len,
						"+%s %s;", name, reason);
		else
			len += (size_t)snprintf(text + len, sizeof text - len,
						"-%s;", name);
	}
	json_decref(events);
	return text;
}

#define TAKE(a, ...) take(a, (const char *const[]){ __VA_ARGS__, NULL })

Test(system_alarms, are_events_when_they_begin_and_end)
{
	struct system_alarms *a = system_alarms_new();

	cr_expect_str_eq(TAKE(a, NULL), "");
	cr_expect_str_eq(TAKE(a, "log", "full"), "+log full;");
	cr_expect_str_eq(TAKE(a, "log", "full"), "");
	cr_expect_str_eq(TAKE(a, "log", "full", "save", "full"),
			 "+save full;");
	cr_expect_str_eq(TAKE(a, "save", "full"), "-log;");
	cr_expect_str_eq(TAKE(a, NULL), "-save;");
	system_alarms_free(&a);
	cr_assert_null(a);
}

/* A count in the sentence is no new alarm; another sentence is. */
Test(system_alarms, of_one_name_are_cleared_once)
{
	struct system_alarms *a = system_alarms_new();

	cr_expect_str_eq(TAKE(a, "host", "a 1"), "+host a 1;");
	cr_expect_str_eq(TAKE(a, "host", "a 2"), "");
	cr_expect_str_eq(TAKE(a, "host", "a 2", "host", "b"), "+host b;");
	cr_expect_str_eq(TAKE(a, "host", "b"), "");
	cr_expect_str_eq(TAKE(a, "host", "a 2", "host", "b"), "+host a 2;");
	cr_expect_str_eq(TAKE(a, NULL), "-host;");
	system_alarms_free(&a);
}

Test(system_alarms, accept_text_that_is_not_utf_8)
{
	struct system_alarms *a = system_alarms_new();

	cr_expect_str_eq(TAKE(a, "save", "\xff"), "+save see the log;");
	system_alarms_free(&a);
}
