/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/config/check.h"
#include "master/config/link_graph.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(check_stream, keeps_streams_that_only_adapters_feed)
{
	static const struct {
		const char *inputs;
		bool idle;
	} cases[] = {
		{ "[\"dvb://a\"]", false },
		{ "[\"dvb://a\",\"udp://239.1.1.1\"]", false },
		{ "[]", true },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct check_place place = { .path = "stream" };
		struct errmsg error;
		char text[256];
		json_t *stream;

		(void)snprintf(text, sizeof text,
			       "{\"id\":\"x\",\"enable\":true,"
			       "\"type\":\"spts\",\"input\":%s}",
			       cases[i].inputs);
		stream = json_loads(text, 0, NULL);
		cr_assert_not_null(stream);
		cr_expect_eq(check_stream(stream, &place, NULL, NULL), 0u,
			     "%s", text);
		cr_expect_eq(check_stream_idle(stream, &error), cases[i].idle,
			     "%s", text);
		json_decref(stream);
	}
}

/* One line per finding. */
static void note(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	(void)snprintf(all + len, 512 - len, "%s%s: %s\n",
		       severity == CHECK_WARNING ? "warning " : "", path,
		       text);
}

Test(check_stream, names_the_option_that_has_no_meaning)
{
	static const struct {
		const char *key, *value, *said;
	} cases[] = {
		{ "set_pnr", "70000",
		  "stream.set_pnr: 70000 is not between 1 and 65535\n" },
		{ "map", "pmt=9",
		  "stream.map: 9 is not between 32 and 8190\n" },
		{ "service_name", "News", "" },
		{ "of_tomorrow", "x", "" },
		{ "input", "udp://239.1.1.1#pnr=x",
		  "stream.input[0]: pnr: \"x\" is not a number between 1 "
		  "and 65535\n" },
		{ "input", "udp://239.1.1.1#pnr=1&of_tomorrow",
		  "warning stream.input[0]: option \"of_tomorrow\" is not "
		  "known\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct check_place place = { .path = "stream" };
		json_t *value = json_string(cases[i].value);
		char said[512] = "";
		json_t *stream;

		if (strcmp(cases[i].key, "input") == 0)
			value = json_pack("[o]", value);
		stream = json_pack("{sssbssso}", "id", "x", "enable", 1,
				   "type", "spts", cases[i].key, value);
		(void)check_stream(stream, &place, note, said);
		cr_expect_str_eq(said, cases[i].said);
		json_decref(stream);
	}
}

Test(check_stream, bounds_the_channel_of_the_guide)
{
	const struct check_place place = { .path = "stream" };
	char id[258];

	for (size_t len = 256; len <= 257; len++) {
		char said[512] = "";
		json_t *stream;

		memset(id, 'x', len);
		id[len] = '\0';
		stream = json_pack("{s:s, s:b, s:s, s:s}", "id", "x",
				   "enable", 0, "type", "spts", "xmltv_id", id);
		(void)check_stream(stream, &place, note, said);
		cr_expect_str_eq(said, len == 256 ? ""
				 : "stream.xmltv_id: is longer than 256 "
				   "bytes\n");
		json_decref(stream);
	}
}

static void keep(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	cr_expect_eq(severity, CHECK_WARNING);
	(void)snprintf(all + len, 512 - len, "%s: %s\n", path, text);
}

/* Conflicts between two streams, and pairs without a conflict. */
/* Leaves bytes on the stack where the next call has its variables. */
static __attribute__((noinline)) void fill_stack(void)
{
	volatile unsigned char bytes[256 * 1024];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0xff;
}

Test(check_stream, reads_options_into_initialised_memory)
{
	const struct check_place place = { .path = "stream" };
	json_t *stream = json_pack("{s:s, s:b, s:s, s:s, s:s, s:[s]}", "id",
				   "x", "enable", 1,
				   "type", "spts", "map", "video=101, pmt=100",
				   "filter", "200", "input",
				   "udp://239.1.1.1:1234");
	char found[512] = "";

	cr_assert_not_null(stream);
	fill_stack();
	cr_expect_eq(check_stream(stream, &place, note, found), 0u, "%s",
		     found);
	cr_expect_str_eq(found, "");
	json_decref(stream);
}

Test(check_stream, rejects_a_malformed_address_of_an_adapter)
{
	json_t *document = json_pack("{s:[{s:s, s:b}]}", "dvb_tune", "id", "d",
				     "enable", 1);
	const struct check_place place = { .path = "stream",
					   .document = document };

	for (int enable = 0; enable < 2; enable++) {
		json_t *stream = json_pack("{s:s, s:b, s:s, s:[s], s:[s]}",
					   "id", "x", "enable", enable,
					   "type", "spts", "input",
					   "dvb://d#pnr=abc", "output",
					   "udp://239.1.1.1:1234");
		char found[512] = "";

		cr_expect_eq(check_stream(stream, &place, note, found),
			     (unsigned)enable, "%s", found);
		cr_expect_str_eq(found + (enable ? 0 : strlen("warning ")),
				 "stream.input[0]: pnr: \"abc\" is not a "
				 "number between 1 and 65535\n");
		json_decref(stream);
	}
	json_decref(document);
}

Test(check_stream, warns_of_addresses_that_only_one_stream_can_use)
{
	static const struct {
		const char *in[2], *out[2];
		const char *said;
	} cases[] = {
		{ { "udp://127.0.0.1:1", "udp://127.0.0.1:1" },
		  { "udp://1.1.1.1:1", "udp://1.1.1.1:2" },
		  "make_stream[1].input[0]: is the address of "
		  "make_stream[0].input[0], too: only one of them can receive "
		  "there\n" },
		{ { "udp://239.1.1.1:1", "udp://239.1.1.1:1" },
		  { "udp://1.1.1.1:1", "udp://1.1.1.1:2" }, "" },
		{ { "udp://127.0.0.1:1", "udp://127.0.0.1:2" },
		  { "udp://127.0.0.1:1", "udp://127.0.0.1:3" },
		  "make_stream[0].output[0]: is also an input of this stream, "
		  "which may receive its own packets\n" },
		/* a relay */
		{ { "udp://127.0.0.1:1", "udp://127.0.0.1:2" },
		  { "udp://127.0.0.1:2", "udp://127.0.0.1:3" }, "" },
		{ { "udp://127.0.0.1:1", "udp://127.0.0.1:2" },
		  { "http://127.0.0.1:9/a", "http://0.0.0.0:9/b" },
		  "make_stream[1].output[0]: 127.0.0.1:9 of "
		  "make_stream[0].output[0] and 0.0.0.0:9 conflict: the kernel "
		  "opens a port on all addresses or on single ones, not "
		  "both\n" },
		{ { "udp://127.0.0.1:1", "udp://127.0.0.1:2" },
		  { "http://127.0.0.1:9/a", "http://127.0.0.2:9/b" }, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char said[512] = "";
		json_t *streams = json_array(), *document;

		for (size_t k = 0; k < 2; k++)
			(void)json_array_append_new(streams, json_pack(
				"{sssbsss[s]s[s]}", "id", k > 0 ? "b" : "a",
				"enable", 1, "type", "spts", "input",
				cases[i].in[k], "output", cases[i].out[k]));
		document = json_pack("{so}", "make_stream", streams);
		cr_expect_eq(check_document(document, NULL, keep, said), 0u);
		cr_expect_str_eq(said, cases[i].said, "case %zu", i);
		json_decref(document);
	}
}

/* Two inputs of an mpts cannot have the same PIDs or numbers. */
Test(check_stream, names_both_inputs_of_an_mpts_that_demand_the_same)
{
	static const struct {
		const char *a, *b;
		const char *said;
	} cases[] = {
		{ "udp://:1", "udp://:2", "" },
		{ "udp://:1#map.video=500", "udp://:2#map.video=501", "" },
		{ "udp://:1#map.video=500", "udp://:2#map.pmt=500",
		  "stream.input[1]: map: input[0] has PID 500, too\n" },
		{ "udp://:1#set_pnr=7", "udp://:2#set_pnr=7",
		  "stream.input[1]: set_pnr: input[0] has the number 7, "
		  "too\n" },
		{ "udp://:1#pid_base=150", "udp://:2",
		  "stream.input[1]: pid_base: its block of PIDs, 200 to 299, "
		  "overlaps that of input[0], 150 to 249\n" },
		{ "udp://:1#pid_base=150&pid_block=50", "udp://:2", "" },
		{ "udp://:1", "udp://:2#pid_base=8100",
		  "stream.input[1]: pid_base: its block of PIDs ends at 8199, "
		  "above 8190\n" },
		{ "udp://:1#rate_min=5&rate_max=5",
		  "udp://:2#rate_min=37995", "" },
		{ "udp://:1#rate_min=6&rate_max=5", "udp://:2",
		  "stream.input[0]: rate_min: 6 is above rate_max, 5\n" },
		{ "udp://:1#rate_min=6", "udp://:2#rate_min=37995",
		  "stream.input[1]: rate_min: the sum with the inputs in "
		  "front is 38001 kbit/s, above the bitrate, 38000 kbit/s\n" },
	};
	json_t *document = json_object();
	const struct check_place place = { .path = "stream",
					   .document = document };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *stream = json_pack("{s:s, s:b, s:s, s:i, s:[ss]}",
					   "id", "m", "enable", 0, "type",
					   "mpts", "bitrate", 38000, "input",
					   cases[i].a, cases[i].b);
		char found[512] = "";

		cr_expect_eq(check_stream(stream, &place, note, found),
			     cases[i].said[0] != '\0', "case %zu", i);
		cr_expect_str_eq(found, cases[i].said, "case %zu", i);
		json_object_set_new(stream, "type", json_string("spts"));
		cr_expect_eq(check_stream(stream, &place, note, found), 0u);
		json_decref(stream);
	}
	json_decref(document);
}

Test(check_stream, looks_for_loops_in_the_links_it_is_given)
{
	json_t *streams = json_pack("[{s:s, s:[s]}]", "id", "b", "input",
				    "stream://a");
	json_t *document = json_pack("{s:[{s:s, s:[s]}]}", "make_stream", "id",
				     "b", "input", "udp://:1");
	json_t *stream = json_pack("{s:s, s:b, s:s, s:[s]}", "id", "a",
				   "enable", 0, "type", "spts", "input",
				   "stream://b");
	struct check_place place = { .path = "stream", .document = document };
	struct link_graph links;
	char found[512] = "";

	link_graph_init(&links, streams, NULL);
	cr_expect_eq(check_stream(stream, &place, note, found), 0);
	place.links = &links;
	cr_expect_eq(check_stream(stream, &place, note, found), 1);
	cr_expect_str_eq(found, "stream.input[0]: stream \"a\" would receive "
				"what it sends itself\n");
	link_graph_done(&links);
	json_decref(stream);
	json_decref(document);
	json_decref(streams);
}
