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

/* An alarm "host" or, with a subject, "host rmem". */
static void add(json_t *list, const char *alarm, const char *sentence)
{
	const char *subject = strchr(alarm, ' ');
	char name[32];

	(void)snprintf(name, sizeof name, "%.*s",
		       (int)strcspn(alarm, " "), alarm);
	system_alarms_add(list, name, subject != NULL ? subject + 1 : NULL,
			  sentence);
}

/* The events of a list "log a", "host b": "+log a;-host;". */
static const char *take(struct system_alarms *a, const char *const *names)
{
	static char text[256];
	json_t *list = json_array(), *events, *event;
	size_t i, len = 0;

	log_open(no_line, NULL, LOG_LEVEL_INFO);
	for (; *names != NULL; names += 2)
		add(list, names[0], names[1]);
	events = system_alarms_take(a, list);
	text[0] = '\0';
	json_array_foreach(events, i, event) {
		const char *name = json_string_value(
			json_object_get(event, "alarm"));
		const char *reason = json_string_value(
			json_object_get(event, "reason"));
		const char *subject = json_string_value(
			json_object_get(event, "subject"));
		const char *gap = subject != NULL ? " of " : "";

		cr_assert_str_eq(json_string_value(json_object_get(event,
								   "scope")),
				 "alarm");
		if (json_is_true(json_object_get(event, "raised")))
			len += (size_t)snprintf(text + len, sizeof text - len,
						"+%s%s%s %s;", name, gap,
						subject != NULL ? subject : "",
						reason);
		else
			len += (size_t)snprintf(text + len, sizeof text - len,
						"-%s%s%s;", name, gap,
						subject != NULL ? subject
								: "");
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
Test(system_alarms, are_raised_again_with_another_reason)
{
	struct system_alarms *a = system_alarms_new();

	cr_expect_str_eq(TAKE(a, "log", "a 1"), "+log a 1;");
	cr_expect_str_eq(TAKE(a, "log", "a 22"), "");
	cr_expect_str_eq(TAKE(a, "log", "b 22"), "+log b 22;");
	cr_expect_str_eq(TAKE(a, "log", "b 23"), "");
	system_alarms_repeat(a, "log");
	cr_expect_str_eq(TAKE(a, "log", "b 23"), "+log b 23;");
	cr_expect_str_eq(TAKE(a, NULL), "-log;");
	system_alarms_repeat(a, "log");
	cr_expect_str_eq(TAKE(a, NULL), "");
	system_alarms_free(&a);
}

Test(system_alarms, of_one_name_begin_and_end_by_subject)
{
	struct system_alarms *a = system_alarms_new();
	json_t *list;

	cr_expect_str_eq(TAKE(a, "worker auth", "x"), "+worker of auth x;");
	cr_expect_str_eq(TAKE(a, "worker auth", "x", "worker tls", "y"),
			 "+worker of tls y;");
	/* the first one of a subject counts */
	cr_expect_str_eq(TAKE(a, "worker tls", "y", "worker tls", "z"),
			 "-worker of auth;");
	list = system_alarms_list(a);
	cr_expect_eq(json_array_size(list), 1);
	cr_expect_str_eq(json_string_value(json_object_get(
				 json_array_get(list, 0), "subject")), "tls");
	json_decref(list);
	cr_expect_str_eq(TAKE(a, NULL), "-worker of tls;");
	system_alarms_free(&a);
}

Test(system_alarms, are_bounded)
{
	json_t *list = json_array();
	char subject[16];

	for (int i = 0; i < 2 * SYSTEM_ALARMS_MAX; i++) {
		(void)snprintf(subject, sizeof subject, "%d", i);
		system_alarms_add(list, "host", subject, "x");
	}
	cr_expect_eq(json_array_size(list), (size_t)SYSTEM_ALARMS_MAX);
	json_decref(list);
}

/* The next master sends no event of an alarm that the clients know. */
Test(system_alarms, pass_to_the_next_master)
{
	struct system_alarms *a = system_alarms_new();
	struct system_alarms *b = system_alarms_new();
	json_t *record;

	cr_expect_str_eq(TAKE(a, "log", "full", "host rmem", "low"),
			 "+log full;+host of rmem low;");
	record = system_alarms_write(a);
	(void)json_object_set_new(json_array_get(record, 0), "since",
				  json_integer(5));
	(void)json_array_append_new(record, json_integer(1));
	(void)json_array_append_new(record, json_pack("{s:s}", "alarm", "x"));
	system_alarms_restore(b, record);
	json_decref(record);
	cr_expect_str_eq(TAKE(b, "log", "full"), "-host of rmem;");
	record = system_alarms_list(b);
	cr_expect_eq(json_integer_value(json_object_get(
			     json_array_get(record, 0), "since")), 5);
	json_decref(record);
	system_alarms_free(&a);
	system_alarms_free(&b);
}

Test(system_alarms, accept_text_that_is_not_utf_8)
{
	struct system_alarms *a = system_alarms_new();

	cr_expect_str_eq(TAKE(a, "save", "\xff"), "+save ?;");
	system_alarms_free(&a);
}
