/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of two streams that cannot both be had. */
#include "common/base/util.h"
#include "master/config/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* One line per finding. */
static void note(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	(void)snprintf(all + len, 1024 - len, "%s%s: %s\n",
		       severity == CHECK_WARNING ? "warning " : "", path, text);
}

static json_t *make_document(const char *a, const char *b)
{
	return json_pack("{s:[{s:s,s:b,s:s,s:[s]},{s:s,s:b,s:s,s:[s]}]}",
			 "make_stream", "id", "a", "enable", 1, "type", "spts",
			 "input", a, "id", "b", "enable", 1, "type", "spts",
			 "input", b);
}

/* Waited at by librist. */
Test(check_places, of_rist_are_of_one)
{
	static const struct {
		const char *a, *b, *said;
	} cases[] = {
		{ "rist://@:9000", "rist://@:9000",
		  "make_stream[1].input[0]: 0.0.0.0:9000 is already of "
		  "make_stream[0].input[0]\n" },
		{ "rist://@:9000#profile=simple", "rist://@:9001",
		  "make_stream[1].input[0]: 0.0.0.0:9001 is already of "
		  "make_stream[0].input[0]\n" },
		{ "rist://@:9001", "rist://@h:2,@:9000#profile=simple",
		  "make_stream[1].input[0]: 0.0.0.0:9001 is already of "
		  "make_stream[0].input[0]\n" },
		{ "rist://@h:9000", "rist://@h:9000",
		  "make_stream[1].input[0]: h:9000 is already of "
		  "make_stream[0].input[0]\n" },
		{ "rist://@:9000", "rist://@127.0.0.1:9000",
		  "warning make_stream[1].input[0]: 0.0.0.0:9000 of "
		  "make_stream[0].input[0] and 127.0.0.1:9000 are both "
		  "listened to: only one of them can be\n" },
		{ "rist://@:9000", "rist://@:9002", "" },
		{ "rist://h:9000", "rist://h:9000", "" },
		{ "rist://@10.1.0.1:9000", "rist://@10.2.0.1:9000", "" },
		{ "rist://@239.1.1.1:9000", "rist://@239.1.1.1:9000", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = make_document(cases[i].a, cases[i].b);
		char said[1024] = "";

		(void)check_document(document, NULL, note, said);
		cr_expect_str_eq(said, cases[i].said, "%s, %s: %s",
				 cases[i].a, cases[i].b, said);
		json_decref(document);
	}
}

/* An output on the port of the control server does not run, so it is not in the
 * way of another stream. */
Test(check_places, of_an_output_on_the_control_port_are_free)
{
	json_t *document = json_pack(
		"{s:[{s:s,s:b,s:s,s:[s]}]}", "make_stream", "id", "a",
		"enable", 1, "type", "spts", "output", "http://:8000/a");
	json_t *stream = json_pack(
		"{s:s,s:b,s:s,s:[s]}", "id", "b", "enable", 1, "type", "spts",
		"output", "http://10.0.0.2:8000/b");
	struct sockaddr_any control;
	struct check_place place = { .path = "stream", .document = document,
				     .control = &control };
	char found[1024] = "";

	cr_assert_eq(sockaddr_parse("10.0.0.1", 8000, &control), 0);
	cr_expect_eq(check_stream(stream, &place, note, found), 0);
	cr_expect_str_eq(found, "");
	place.control = NULL;
	cr_expect_eq(check_stream(stream, &place, note, found), 0);
	cr_expect_str_eq(found, "warning stream.output[0]: 0.0.0.0:8000 of "
				"make_stream[0].output[0] and 10.0.0.2:8000 "
				"are both listened to: only one of them can "
				"be\n");
	json_decref(stream);
	json_decref(document);
}

/* One of a pair can be bound; each later one of the pair is reported. */
Test(check_places, of_every_listener_in_conflict_are_reported)
{
	static const char *const outputs[] = {
		"http://127.0.0.1:8100/a", "http://:8100/b", "http://:8100/c",
		"http://127.0.0.1:8100/d",
	};
	static const char wanted[] =
		"warning make_stream[1].output[0]: 127.0.0.1:8100 of "
		"make_stream[0].output[0] and "
		"0.0.0.0:8100 are both listened to: only one of them can be\n"
		"warning make_stream[2].output[0]: 127.0.0.1:8100 of "
		"make_stream[0].output[0] and "
		"0.0.0.0:8100 are both listened to: only one of them can be\n"
		"warning make_stream[3].output[0]: 0.0.0.0:8100 of "
		"make_stream[1].output[0] and "
		"127.0.0.1:8100 are both listened to: only one of them can "
		"be\n";
	json_t *list = json_array();
	json_t *document = json_pack("{s:o}", "make_stream", list);
	char found[1024] = "", id[] = "a";

	for (size_t i = 0; i < ARRAY_LEN(outputs); i++, id[0]++)
		(void)json_array_append_new(
			list, json_pack("{s:s,s:b,s:s,s:[s]}", "id", id,
					"enable", 1, "type", "spts", "output",
					outputs[i]));
	cr_expect_eq(check_document(document, NULL, note, found), 0);
	cr_expect_str_eq(found, wanted, "%s", found);
	json_decref(document);
}

/* The play paths have a port of their own, or share that of an output. */
Test(check_places, of_the_play_port_are_not_those_of_another_output)
{
	json_t *document = json_pack(
		"{s:{s:b,s:i},s:[{s:s,s:b,s:s,s:[s,s]}]}", "settings",
		"http_play_stream", 1, "http_play_port", 8100, "make_stream",
		"id", "a", "enable", 1, "type", "spts", "output",
		"http://127.0.0.1:8100/a", "http://127.0.0.1:8101/a");
	json_t *outputs = json_object_get(
		json_array_get(json_object_get(document, "make_stream"), 0),
		"output");
	char found[1024] = "";

	cr_expect_eq(check_document(document, NULL, note, found), 0);
	cr_expect_str_eq(found, "warning make_stream[0].output[0]: "
			 "0.0.0.0:8100 of settings.http_play_port and "
			 "127.0.0.1:8100 are both listened to: only one of "
			 "them can be\n");
	found[0] = '\0';
	(void)json_array_set_new(outputs, 0, json_string("http://:8100/a"));
	cr_expect_eq(check_document(document, NULL, note, found), 0);
	cr_expect_str_eq(found, "", "%s", found);
	json_decref(document);
}

Test(check_places, and_other_values_that_cannot_be_meant_are_warned_of)
{
	static const char *const cases[][2] = {
		{ "{\"make_stream\":[{\"id\":\"a\",\"name\":\"\","
		  "\"type\":\"spts\",\"enable\":true,\"lcn\":-1,"
		  "\"input\":[\"udp://:1#pnr=1&pnr=2&pnr=3\"]}]}",
		  "warning make_stream[0].input[0]: pnr: is given several "
		  "times, and only the last value counts\n"
		  "warning make_stream[0].name: is empty\n"
		  "warning make_stream[0].lcn: -1 is less than 0: the "
		  "playlist has none\n" },
		{ "{\"make_stream\":[{\"id\":\"a\",\"name\":\"A\","
		  "\"type\":\"spts\",\"enable\":true,\"lcn\":true,"
		  "\"input\":[\"udp://:1\"]}]}",
		  "warning make_stream[0].lcn: is not a whole number: the "
		  "playlist has none\n" },
		{ "{\"auth\":{\"enable\":true,\"promo\":\"nourl\"}}",
		  "warning auth.promo: \"nourl\" does not begin with http:// "
		  "or https://: a player looks for it beside the stream\n" },
		{ "{\"auth\":{\"enable\":true,\"promo\":\"http://h/x\"}}", "" },
		{ "{\"servers\":[{\"host\":\"h\",\"port\":99999},"
		  "{\"host\":\"h\",\"port\":80}]}",
		  "warning servers[0].port: 99999 is not between 1 and "
		  "65535\n" },
		{ "{\"cas\":[{\"id\":\"a\",\"ecmg_channel_id\":1,"
		  "\"ecmg_host\":\"h\",\"ecmg_port\":1},{\"id\":\"a\","
		  "\"ecmg_channel_id\":2,\"ecmg_host\":\"h\","
		  "\"ecmg_port\":1}]}",
		  "warning cas[1].id: \"a\" is already the id of an earlier "
		  "entry\n" },
		{ "{\"settings\":{\"playlist_arrange\":\"Nope\"},"
		  "\"categories\":[{\"name\":\"c\"}]}",
		  "warning settings.playlist_arrange: there is no category "
		  "\"Nope\"\n" },
		{ "{\"users\":{\"v\":{\"enable\":true,\"type\":3}}}",
		  "warning users: no control user can log in (type 1, enabled, "
		  "with a password): sluice --reset-password LOGIN -c FILE "
		  "adds one\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = json_loads(cases[i][0], 0, NULL);
		char said[1024] = "";

		cr_assert_not_null(document, "%s", cases[i][0]);
		(void)check_document(document, NULL, note, said);
		cr_expect_str_eq(said, cases[i][1], "%s", said);
		json_decref(document);
	}
}
