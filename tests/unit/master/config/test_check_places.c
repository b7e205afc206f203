/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of two streams that cannot both be had. */
#include "common/base/util.h"
#include "master/config/check.h"
#include "tests/unit/master/config/finding_lines.h"

#include <criterion/criterion.h>
#include <string.h>

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
		  "E make_stream[1].input[0]: 0.0.0.0:9000 is already the "
		  "address of make_stream[0].input[0]\n" },
		{ "rist://@:9000#profile=simple", "rist://@:9001",
		  "E make_stream[1].input[0]: 0.0.0.0:9001 is already the "
		  "address of make_stream[0].input[0]\n" },
		{ "rist://@:9001", "rist://@h:2,@:9000#profile=simple",
		  "E make_stream[1].input[0]: 0.0.0.0:9001 is already the "
		  "address of make_stream[0].input[0]\n" },
		{ "rist://@h:9000", "rist://@h:9000",
		  "E make_stream[1].input[0]: h:9000 is already the address of "
		  "make_stream[0].input[0]\n" },
		{ "rist://@:9000", "rist://@127.0.0.1:9000",
		  "make_stream[1].input[0]: 0.0.0.0:9000 of "
		  "make_stream[0].input[0] and 127.0.0.1:9000 conflict: the "
		  "kernel opens a port on all addresses or on single ones, not "
		  "both\n" },
		{ "rist://@:9000", "rist://@:9002", "" },
		{ "rist://h:9000", "rist://h:9000", "" },
		{ "rist://@10.1.0.1:9000", "rist://@10.2.0.1:9000", "" },
		{ "rist://@239.1.1.1:9000", "rist://@239.1.1.1:9000", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = make_document(cases[i].a, cases[i].b);
		char said[FINDING_LINES] = "";

		(void)check_document(document, NULL, finding_lines_add, said);
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
	char found[FINDING_LINES] = "";

	cr_assert_eq(sockaddr_parse("10.0.0.1", 8000, &control), 0);
	cr_expect_eq(check_stream(stream, &place, finding_lines_add, found), 0);
	cr_expect_str_eq(found, "");
	place.control = NULL;
	cr_expect_eq(check_stream(stream, &place, finding_lines_add, found), 0);
	cr_expect_str_eq(found, "stream.output[0]: 0.0.0.0:8000 of "
				"make_stream[0].output[0] and 10.0.0.2:8000 "
				"conflict: the kernel opens a port on all "
				"addresses or on single ones, not both\n");
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
		"make_stream[1].output[0]: 127.0.0.1:8100 of "
		"make_stream[0].output[0] and 0.0.0.0:8100 conflict: the "
		"kernel opens a port on all addresses or on single ones, not "
		"both\n"
		"make_stream[2].output[0]: 127.0.0.1:8100 of "
		"make_stream[0].output[0] and 0.0.0.0:8100 conflict: the "
		"kernel opens a port on all addresses or on single ones, not "
		"both\n"
		"make_stream[3].output[0]: 0.0.0.0:8100 of "
		"make_stream[1].output[0] and 127.0.0.1:8100 conflict: the "
		"kernel opens a port on all addresses or on single ones, not "
		"both\n";
	json_t *list = json_array();
	json_t *document = json_pack("{s:o}", "make_stream", list);
	char found[FINDING_LINES] = "", id[] = "a";

	for (size_t i = 0; i < ARRAY_LEN(outputs); i++, id[0]++)
		(void)json_array_append_new(
			list, json_pack("{s:s,s:b,s:s,s:[s]}", "id", id,
					"enable", 1, "type", "spts", "output",
					outputs[i]));
	cr_expect_eq(check_document(document, NULL, finding_lines_add, found),
		     0);
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
	char found[FINDING_LINES] = "";

	cr_expect_eq(check_document(document, NULL, finding_lines_add, found),
		     0);
	cr_expect_str_eq(found, "make_stream[0].output[0]: 0.0.0.0:8100 of "
				"settings.http_play_port and 127.0.0.1:8100 "
				"conflict: the kernel opens a port on all "
				"addresses or on single ones, not both\n");
	found[0] = '\0';
	(void)json_array_set_new(outputs, 0, json_string("http://:8100/a"));
	cr_expect_eq(check_document(document, NULL, finding_lines_add, found),
		     0);
	cr_expect_str_eq(found, "", "%s", found);
	json_decref(document);
}

Test(check_places, and_other_values_that_cannot_be_meant_are_warned_of)
{
	static const char *const cases[][2] = {
		{ "{\"make_stream\":[{\"id\":\"a\",\"name\":\"\","
		  "\"type\":\"spts\",\"enable\":true,\"lcn\":-1,"
		  "\"input\":[\"udp://:1#pnr=1&pnr=2&pnr=3\"]}]}",
		  "make_stream[0].input[0]: pnr: is given several times, and "
		  "only the last value counts\n"
		  "make_stream[0].name: is empty\n"
		  "make_stream[0].lcn: -1 is less than 0: the playlist has no "
		  "channel number\n" },
		{ "{\"make_stream\":[{\"id\":\"a\",\"name\":\"A\","
		  "\"type\":\"spts\",\"enable\":true,\"lcn\":true,"
		  "\"input\":[\"udp://:1\"]}]}",
		  "make_stream[0].lcn: is not a whole number: the playlist has "
		  "no channel number\n" },
		{ "{\"auth\":{\"enable\":true,\"promo\":\"nourl\"}}",
		  "auth.promo: \"nourl\" does not begin with http:// or "
		  "https://: players take it as relative to the address of the "
		  "stream\n" },
		{ "{\"auth\":{\"enable\":true,\"promo\":\"http://h/x\"}}", "" },
		{ "{\"servers\":[{\"host\":\"h\",\"port\":99999},"
		  "{\"host\":\"h\",\"port\":80}]}",
		  "servers[0].port: 99999 is not between 1 and "
		  "65535\n" },
		{ "{\"cas\":[{\"id\":\"a\",\"ecmg_channel_id\":1,"
		  "\"ecmg_host\":\"h\",\"ecmg_port\":1},{\"id\":\"a\","
		  "\"ecmg_channel_id\":2,\"ecmg_host\":\"h\","
		  "\"ecmg_port\":1}]}",
		  "cas[1].id: \"a\" is already the id of an earlier "
		  "entry\n" },
		{ "{\"settings\":{\"playlist_arrange\":\"Nope\"},"
		  "\"categories\":[{\"name\":\"c\"}]}",
		  "settings.playlist_arrange: there is no category "
		  "\"Nope\"\n" },
		{ "{\"users\":{\"v\":{\"enable\":true,\"type\":3}}}", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = json_loads(cases[i][0], 0, NULL);
		char said[FINDING_LINES] = "";

		cr_assert_not_null(document, "%s", cases[i][0]);
		(void)check_document(document, NULL, finding_lines_add, said);
		cr_expect_str_eq(said, cases[i][1], "%s", said);
		json_decref(document);
	}
}

Test(check, users_without_a_control_user_are_a_lockout)
{
#define LOCKOUT "users: no control user can log in (type 1, enabled, with a " \
		"password): streams and settings cannot be changed "
	static const struct {
		const char *users;
		bool has_file;
		const char *said;
	} cases[] = {
		{ "{\"v\":{\"enable\":true,\"type\":3}}", true,
		  LOCKOUT "through the API until sluice --reset-password LOGIN "
		  "-c FILE adds the new user LOGIN, or the file is edited, and "
		  "SIGHUP or a restart loads the file\n" },
		{ "{\"v\":{\"enable\":true,\"type\":3}}", false,
		  LOCKOUT "until the service is stopped and started, which "
		  "loses the configuration, because it has no file\n" },
		{ "{}", true, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *users = json_loads(cases[i].users, 0, NULL);
		json_t *document = json_pack("{s:o}", "users", users);
		char said[FINDING_LINES] = "";

		check_lockout(document, cases[i].has_file, finding_lines_add,
			      said);
		cr_expect_str_eq(said, cases[i].said, "%s", said);
		json_decref(document);
	}
}
