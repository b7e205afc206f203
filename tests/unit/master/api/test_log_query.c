/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET api/log. */
#include "common/log/log_lines.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 1000, LINES = 3 };

/* The log has lines of the numbers 1000 to 1002. */
static struct log_lines *set_up(void)
{
	struct log_lines *lines = log_lines_new(FIRST);

	open_world("{}");
	for (int i = 0; i < LINES; i++)
		log_lines_add(lines, &(struct log_line){
			.time_ms = 1500, .level = LOG_LEVEL_INFO,
			.component = "master", .text = "line" });
	api_free(&w.api);
	w.parts.log_lines = lines;
	w.api = api_new(&w.parts);
	return lines;
}

/* The reply has the lines from this number on, and the last one is 1002. */
static void expect_lines(const char *query, unsigned from)
{
	char wanted[1024];
	int len = snprintf(wanted, sizeof wanted, "{'lines':[");

	for (unsigned n = from; n < FIRST + LINES; n++)
		len += snprintf(wanted + len, sizeof wanted - (size_t)len,
				"%s{'n':%u,'time':1,'ms':500,'level':'info',"
				"'where':'master','text':'line'}",
				n > from ? "," : "", n);
	(void)snprintf(wanted + len, sizeof wanted - (size_t)len,
		       "],'first':1000,'last':1002}");
	cr_expect_eq(get("/api/log", query), 200, "%s: %s", query, said());
	cr_expect_str_eq(said(), wanted, "%s: %s", query, said());
}

Test(log_query, returns_the_lines_behind_a_number)
{
	struct log_lines *lines = set_up();

	expect_lines("", FIRST);
	expect_lines("limit=1", FIRST + 2);
	expect_lines("since=0", FIRST);
	expect_lines("since=1000", FIRST + 1);
	expect_lines("since=1002", FIRST + 3);
	log_lines_free(&lines);
}

Test(log_query, begins_anew_for_a_number_that_no_line_has_yet)
{
	struct log_lines *lines = set_up();

	expect_lines("since=1003", FIRST);
	expect_lines("since=9223372036854775807&limit=1", FIRST + 2);
	log_lines_free(&lines);
}

/* Each of these is about one stream, in the order of their numbers. */
Test(log_query, lines_of_a_stream_are_those_of_its_inputs_too)
{
	static const char *const components[] = { "stream m", "stream m/2",
						  "stream m2", "deliver m" };
	struct log_lines *lines = set_up();

	for (size_t i = 0; i < ARRAY_LEN(components); i++)
		log_lines_add(lines, &(struct log_line){
			.component = components[i], .text = "x" });
	cr_expect_eq(get("/api/log", "stream=m&limit=9"), 200);
	cr_expect_not_null(strstr(said(), "'where':'stream m',"), "%s",
			   said());
	cr_expect_not_null(strstr(said(), "'where':'stream m/2',"), "%s",
			   said());
	cr_expect_null(strstr(said(), "m2"), "%s", said());
	cr_expect_null(strstr(said(), "deliver"), "%s", said());
	cr_expect_eq(get("/api/log", "stream=m/2"), 200);
	cr_expect_null(strstr(said(), "'where':'stream m',"), "%s", said());
	log_lines_free(&lines);
}

Test(log_feed, sends_new_lines_and_counts_those_of_a_burst)
{
	struct log_lines *lines = set_up();
	struct http_request upgrade = { .method = "GET",
		.path = "/control/event/", .query = "token=x&scope=alarm,log",
		.headers = (const char *[][2]){ { "upgrade", "websocket" },
						{ NULL, NULL } } };

	fakes_clear();
	api_handle(w.api, NULL, &upgrade);
	cr_assert_str_eq(fakes.told, "handshake all and the log\n");
	fakes.wants_log = true;
	fakes_clear();
	for (int i = 0; i < 50; i++)
		log_lines_add(lines, &(struct log_line){
			.time_ms = 2500, .level = LOG_LEVEL_ERROR,
			.component = "a", .text = "b" });
	run_for_ms(300);
	cr_expect_not_null(strstr(fakes.told, "soon {'dropped':10,'lines':[{"
				  "'level':'error','ms':500,'n':1003,"), "%s",
			   fakes.told);
	cr_expect_null(strstr(fakes.told, "'n':1043"), "%s", fakes.told);
	/* the last client has left */
	fakes.wants_log = false;
	run_for_ms(300);
	fakes_clear();
	log_lines_add(lines, &(struct log_line){ .component = "a",
						 .text = "b" });
	run_for_ms(300);
	cr_expect_str_empty(fakes.told);
	log_lines_free(&lines);
}
