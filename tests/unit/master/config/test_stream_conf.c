/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/stream_conf.h"

#include "tests/unit/quoted.h"

#include <criterion/criterion.h>
#include <stdint.h>

#define STREAM(id, enable, in, out) \
	"{'id':'" id "','enable':" enable ",'input':['" in "']," \
	"'output':['" out "']}"

Test(stream_conf, has_the_addresses_that_the_master_needs)
{
	json_t *stream = quoted(
		"{'id':'a','enable':true,"
		"'input':['stream://b#id=main','udp://[::1]:5000','x',5],"
		"'output':['http://127.0.0.1:8001/a#buffer_size=20000&"
		"buffer_fill=512',"
		"'udp://239.1.1.1:1234']}");
	struct stream_conf *c = stream_conf_new(stream);

	json_decref(stream);
	cr_assert_str_eq(c->id, "a");
	cr_assert(c->is_enabled);
	cr_assert_eq(c->n_inputs, 4u);
	cr_expect_str_eq(c->inputs[0].stream, "b");
	cr_expect_str_eq(c->inputs[0].id, "main");
	cr_expect(c->inputs[1].is_valid && c->inputs[1].is_ipv6);
	cr_expect_null(c->inputs[1].stream);
	cr_expect_not(c->inputs[2].is_valid);
	cr_expect_str_eq(c->inputs[2].address, "x");
	cr_expect_null(c->inputs[3].address);
	cr_assert_eq(c->n_outputs, 2u);
	cr_expect_eq(c->outputs[0].kind, OUTPUT_HTTP);
	cr_expect_str_eq(c->outputs[0].path, "/a");
	cr_expect_eq(sockaddr_port(&c->outputs[0].listen), 8001);
	cr_expect_eq(c->outputs[0].buffer_size_kib, 20000u);
	cr_expect_eq(c->outputs[0].buffer_fill_kib, 512u);
	cr_expect_eq(c->outputs[1].kind, OUTPUT_UDP);
	stream_conf_free(&c);
	cr_assert_null(c);
}

Test(stream_conf, of_a_disabled_stream_occupies_nothing)
{
	json_t *stream = quoted(STREAM("a", "false", "udp://239.1.1.1:1",
				       "http://:8001/a"));
	struct stream_conf *c = stream_conf_new(stream);

	cr_assert_eq(json_object_size(c->places), 0u);
	stream_conf_free(&c);
	json_decref(stream);
}

Test(stream_confs, reads_only_changed_addresses)
{
	struct stream_confs *cs = stream_confs_new();
	json_t *list = quoted("[" STREAM("a", "true", "udp://239.1.1.1:1",
					 "http://:8001/a") ","
			      STREAM("b", "true", "udp://239.1.1.2:1",
				     "http://:8001/b") "]");
	const json_t *a = json_array_get(list, 0);
	const json_t *b = json_array_get(list, 1);
	const struct stream_conf *of_b;

	stream_confs_set(cs, list);
	of_b = stream_confs_get(cs, b);
	cr_assert_not_null(of_b);
	(void)json_array_set_new(list, 0, quoted(
		STREAM("c", "true", "udp://239.1.1.3:1", "http://:8001/c")));
	stream_confs_set(cs, list);
	cr_assert_eq(stream_confs_get(cs, b), of_b, "it was read again");
	cr_assert_null(stream_confs_get(cs, a));
	cr_assert_str_eq(stream_confs_get(cs, json_array_get(list, 0))->id,
			 "c");
	stream_confs_set(cs, NULL);
	cr_assert_null(stream_confs_get(cs, b));
	stream_confs_free(&cs);
	json_decref(list);
}

static const char *find(const struct stream_confs *cs, const char *place,
			const char *but, size_t before)
{
	static char path[PLACE_HOLDER_MAX];
	const struct place_query q = { place, but, before };

	return stream_confs_find_place(cs, &q, path) ? path : "";
}

Test(stream_confs, find_the_first_that_occupies_a_place)
{
	struct stream_confs *cs = stream_confs_new();
	json_t *list = quoted(
		"[" STREAM("a", "true", "udp://:1", "file:///f") ","
		STREAM("b", "true", "udp://:2", "file:///f") ","
		STREAM("c", "true", "udp://:3", "http://127.0.0.1:8001/c") ","
		STREAM("d", "true", "udp://:4", "http://0.0.0.0:8001/d") "]");

	stream_confs_set(cs, list);
	cr_expect_str_eq(find(cs, "file /f", NULL, SIZE_MAX),
			 "make_stream[0].output[0]");
	cr_expect_str_eq(find(cs, "file /f", "a", SIZE_MAX),
			 "make_stream[1].output[0]");
	cr_expect_str_eq(find(cs, "file /f", "a", 1), "");
	cr_expect_str_eq(find(cs, "file /g", NULL, SIZE_MAX), "");
	/* a port of every address conflicts with those of one address */
	cr_expect_str_eq(find(cs, "listen tcp 4 8001 any", NULL, SIZE_MAX),
			 "0.0.0.0:8001 of make_stream[3].output[0]");
	cr_expect_str_eq(find(cs, "listen tcp 4 8001 any", "d", SIZE_MAX), "");
	cr_expect_str_eq(find(cs, "listen tcp 4 8001 one", NULL, SIZE_MAX),
			 "127.0.0.1:8001 of make_stream[2].output[0]");
	(void)json_array_remove(list, 0);
	stream_confs_set(cs, list);
	cr_expect_str_eq(find(cs, "file /f", NULL, SIZE_MAX),
			 "make_stream[0].output[0]");
	stream_confs_free(&cs);
	json_decref(list);
}
