/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/stream_links.h"

#include "common/base/util.h"
#include "tests/unit/master/fakes.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(stream_links, names_the_stream_that_an_address_reads)
{
	static const struct {
		const char *address, *stream;
	} cases[] = {
		{ "stream://a", "a" },
		{ "stream://a.b#watchdog=5", "a.b" },
		{ "stream://", "" },
		{ "udp://127.0.0.1:5000", "" },
		{ "stream:/a", "" },
		{ NULL, "" },
		{ "stream://00000000011111111112222222222333333333344444444445"
		  "555555555666666", "" },
	};
	char link[IO_FEED_MAX + 1];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		stream_link_read(cases[i].address, link);
		cr_expect_str_eq(link, cases[i].stream);
	}
}

Test(stream_links, follow_a_new_id_and_keep_all_else)
{
	json_t *stream = fakes_json("{'id':'b','input':['stream://a#watchdog=5'"
				    ",'stream://ab','udp://[::1]:1',"
				    "'stream://a',5],'x':1}");
	json_t *before = json_deep_copy(stream);
	json_t *after = fakes_json("{'id':'b','input':["
				   "'stream://news#watchdog=5',"
				   "'stream://ab','udp://[::1]:1',"
				   "'stream://news',5],'x':1}");
	json_t *got = stream_links_rename(stream, "a", "news");

	cr_assert(json_equal(got, after));
	cr_assert(json_equal(stream, before), "others hold references to it");
	cr_assert_null(stream_links_rename(stream, "c", "news"));
	json_decref(got);
	json_decref(after);
	json_decref(before);
	json_decref(stream);
}

Test(stream_links, lists_the_enabled_readers)
{
	json_t *streams = fakes_json(
		"[{'id':'a','enable':true},"
		"{'id':'b','enable':true,'input':['stream://a']},"
		"{'id':'c','enable':false,'input':['stream://a']},"
		"{'id':'d','enable':true,'input':['stream://b','stream://a#x']"
		"}]");
	char *readers = stream_links_readers(streams, "a");

	cr_assert_str_eq(readers, "b, d");
	free(readers);
	cr_assert_null(stream_links_readers(streams, "d"));
	cr_assert_null(stream_links_readers(NULL, "a"));
	for (char id[] = "e"; id[0] <= 'n'; id[0]++)
		(void)json_array_append_new(
			streams, json_pack("{s:s, s:b, s:[s]}", "id", id,
					   "enable", 1, "input",
					   "stream://a"));
	readers = stream_links_readers(streams, "a");
	cr_assert_str_eq(readers, "b, d, e, f, g, h, i, j, k, l and 2 more");
	free(readers);
	json_decref(streams);
}

Test(stream_links, lists_the_enabled_adapters_that_read_it)
{
	json_t *adapters = fakes_json(
		"[{'id':'t','enable':true,'type':'T'},"
		"{'id':'u','enable':true,'address':'stream://a#x'},"
		"{'id':'v','enable':false,'address':'stream://a'},"
		"{'id':'w','enable':true,'address':'udp://[::1]:1'},"
		"{'id':'x','enable':true,'address':'stream://a'}]");
	char *readers = stream_links_readers(adapters, "a");

	cr_assert_str_eq(readers, "u, x");
	free(readers);
	cr_assert_null(stream_links_readers(adapters, "b"));
	json_decref(adapters);
}
