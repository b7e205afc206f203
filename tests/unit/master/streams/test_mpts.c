/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/mpts.h"

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <criterion/criterion.h>
#include <string.h>

static json_t *stream_of(const char *more, ...)
{
	va_list list;
	json_t *inputs = json_array(), *stream;

	va_start(list, more);
	for (const char *s = more; s != NULL; s = va_arg(list, const char *))
		(void)json_array_append_new(inputs, json_string(s));
	va_end(list);
	stream = json_pack("{s:s, s:s, s:b, s:s, s:o, s:[s]}", "id", "m",
			   "type", "mpts", "enable", 1, "filler", "still",
			   "input", inputs, "output", "udp://239.1.1.1:1234");
	return stream;
}

static const char *text(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static const char *input(const json_t *o, size_t i)
{
	return json_string_value(json_array_get(json_object_get(o, "input"),
						i));
}

Test(mpts, only_an_mpts_of_several_inputs_is_merged)
{
	json_t *two = stream_of("udp://:1", "udp://:2", NULL);
	json_t *one = stream_of("udp://:1", NULL);

	cr_expect(mpts_is_mux(two));
	cr_expect(!mpts_is_mux(one));
	json_object_set_new(two, "type", json_string("spts"));
	cr_expect(!mpts_is_mux(two));
	json_decref(one);
	json_decref(two);
}

/* A multiplex has a TDT without the key. */
Test(mpts, an_own_tdt_names_the_system_clock)
{
	static const struct {
		const char *tdt;
		bool one, two;
	} cases[] = {
		{ NULL, false, true },
		{ "pass", false, true },
		{ "own", true, true },
		{ "off", false, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *two = stream_of("udp://:1", "udp://:2", NULL);
		json_t *one = stream_of("udp://:1", NULL);

		if (cases[i].tdt != NULL) {
			json_object_set_new(one, "tdt",
					    json_string(cases[i].tdt));
			json_object_set_new(two, "tdt",
					    json_string(cases[i].tdt));
		}
		cr_expect_eq(mpts_has_clock(one), cases[i].one, "%zu", i);
		cr_expect_eq(mpts_has_clock(two), cases[i].two, "%zu", i);
		json_decref(one);
		json_decref(two);
	}
}

Test(mpts, every_input_but_a_stream_has_a_feed_with_all_its_options)
{
	json_t *m = stream_of("stream://a#pnr=3", "udp://:1#pnr=7&map.video=500"
			      "&set_pnr=9&cas&pid_base=700&priority=3"
			      "&rate_min=5&rate_max=8",
			      "dvb://d", NULL);
	json_t *mux, *feed;

	json_object_set_new(m, "mux_delay", json_integer(70));
	mux = mpts_mux(m, "m");
	feed = mpts_feed(m, "m", 2);
	/* it says how often the source is read */
	cr_expect_eq(json_integer_value(json_object_get(feed, "mux_delay")),
		     70);
	cr_expect_null(mpts_feed(m, "m", 1));
	cr_expect_null(mpts_feed(m, "m", 4));
	cr_expect_str_eq(text(feed, "id"), "m/2");
	cr_expect_str_eq(text(feed, "type"), "spts");
	cr_expect_str_eq(text(feed, "filler"), "still");
	cr_expect_str_eq(input(feed, 0), input(m, 1));
	cr_expect_null(json_object_get(feed, "output"));
	/* what the feed has done stays */
	cr_expect_str_eq(input(mux, 0), "stream://a#pnr=3");
	cr_expect_str_eq(input(mux, 1), "stream://m/2#pid_base=700&priority=3"
			 "&rate_min=5&rate_max=8"
			 "&set_pnr=9&cas&pass_data&map.500=500");
	cr_expect_str_eq(input(mux, 2), "stream://m/3");
	cr_expect_null(json_object_get(mux, "filler"));
	cr_expect(mpts_is_mux(mux));
	json_decref(feed);
	json_decref(mux);
	json_decref(m);
}

Test(mpts, a_stream_to_which_another_source_adds_a_pid_has_a_feed)
{
	json_t *m = stream_of("stream://a#mux=udp://:7&mux_pid=500",
			      "stream://b", NULL);
	json_t *feed = mpts_feed(m, "m", 1), *mux = mpts_mux(m, "m");

	cr_assert_not_null(feed);
	cr_expect_str_eq(input(feed, 0), "stream://a#mux=udp://:7&mux_pid=500");
	cr_expect_null(mpts_feed(m, "m", 2));
	cr_expect_str_eq(input(mux, 0), "stream://m/1");
	json_decref(feed);
	json_decref(mux);
	json_decref(m);
}

Test(mpts, the_filler_of_an_absent_input_is_that_of_its_feed)
{
	json_t *m = stream_of("udp://:1#absent=/a.ts",
			      "stream://a#absent=still",
			      "udp://:2#absent=9", "stream://b#absent=9", NULL);
	json_t *mux = mpts_mux(m, "m"), *feeds[3];

	for (unsigned i = 0; i < 3; i++)
		feeds[i] = mpts_feed(m, "m", i + 1);
	cr_expect_str_eq(text(feeds[0], "filler"), "/a.ts");
	cr_expect_str_eq(text(feeds[1], "filler"), "still");
	/* it begins with the silence */
	cr_expect(json_is_integer(json_object_get(feeds[1],
						  "backup_start_delay")));
	/* the multiplex removes it, so it must become silent */
	cr_expect_null(json_object_get(feeds[2], "filler"));
	cr_expect_null(mpts_feed(m, "m", 4));
	cr_expect_str_eq(input(mux, 0), "stream://m/1#absent=/a.ts");
	cr_expect_str_eq(input(mux, 1), "stream://m/2#absent=still");
	cr_expect_str_eq(input(mux, 2), "stream://m/3#absent=9");
	cr_expect_str_eq(input(mux, 3), "stream://b#absent=9");
	for (unsigned i = 0; i < 3; i++)
		json_decref(feeds[i]);
	json_decref(mux);
	json_decref(m);
}

Test(mpts, a_feed_has_a_name_that_no_stream_can_have)
{
	char longest[IO_ID_MAX + 1], link[IO_FEED_MAX + 1];

	memset(longest, 'a', IO_ID_MAX);
	longest[IO_ID_MAX] = '\0';
	mpts_link("m", 12, link);
	cr_expect_str_eq(link, "m/12");
	mpts_link(longest, MSG_INPUTS_MAX, link);
	cr_expect_eq(strlen(link), (size_t)IO_FEED_MAX);
}
