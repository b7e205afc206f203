/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description names every option with the bounds of the reader. */
#include "master/config/describe.h"

#include "common/base/util.h"
#include "proto/spec/io_spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const json_t *property(const json_t *all, const char *section,
			      const char *type, const char *key)
{
	const json_t *schema = json_object_get(all, section);

	if (type != NULL)
		schema = json_object_get(schema, type);
	return json_object_get(json_object_get(schema, "properties"), key);
}

Test(describe, has_the_keys_of_all_tables_of_an_object)
{
	static const char *const keys[][3] = {
		{ "settings", NULL, "control_port" },
		{ "log", NULL, "filename" },
		{ "users", NULL, "cipher" },
		{ "make_stream", NULL, "enable" },
		{ "make_stream", NULL, "backup_type" },
		{ "softcam", NULL, "host" },
		{ "inputs", "udp", "watchdog" },
		{ "inputs", "srt", "cc_limit" },
		{ "inputs", "file", "pnr" },
		{ "outputs", "rtp", "fec" },
	};
	json_t *all = config_describe();

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *p = property(all, keys[i][0], keys[i][1],
					   keys[i][2]);

		cr_expect_not_null(p, "%s %s", keys[i][0], keys[i][2]);
		cr_expect_not_null(json_object_get(p, "description"), "%s %s",
				   keys[i][0], keys[i][2]);
	}
	/* a setting for all streams has the description of the stream's key */
	cr_assert(json_equal(property(all, "settings", NULL, "cc_limit"),
			     property(all, "make_stream", NULL, "cc_limit")));
	cr_assert_not_null(json_object_get(
		json_object_get(json_object_get(json_object_get(all, "inputs"),
						"http"),
				"patternProperties"),
		"^header\\."));
	json_decref(all);
}

/* Whether the reader of addresses says that n is out of bounds. */
static bool is_outside(bool input, const char *address, const char *key,
		       json_int_t n)
{
	static struct output_spec out;
	static struct input_spec in;
	struct errmsg error = { 0 };
	char text[256];
	int r;

	(void)snprintf(text, sizeof text, "%s#%s=%" JSON_INTEGER_FORMAT,
		       address, key, n);
	r = input ? input_spec_parse(text, &in, NULL, NULL, &error)
		  : output_spec_parse(text, &out, NULL, NULL, &error);
	return r < 0 && strstr(error.text, "is not between") != NULL;
}

Test(describe, the_bounds_of_options_are_those_of_the_reader)
{
	static const struct {
		bool input;
		const char *type, *address;
	} types[] = {
		{ true, "udp", "udp://239.1.1.1:1" },
		{ true, "rtp", "rtp://239.1.1.1:2" },
		{ true, "file", "file:///x" },
		{ true, "sdp", "sdp:///x" },
		{ true, "srt", "srt://h:1" },
		{ true, "rist", "rist://h:2" },
		{ true, "http", "http://h/x" },
		{ true, "https", "https://h/x" },
		{ true, "stream", "stream://x" },
		{ true, "dvb", "dvb://x" },
		{ false, "udp", "udp://239.1.1.1:1" },
		{ false, "rtp", "rtp://239.1.1.1:2" },
		{ false, "http", "http://:1/x" },
		{ false, "https", "https://:1/x" },
		{ false, "file", "file:///x" },
		{ false, "np", "np://h/x" },
		{ false, "srt", "srt://h:1" },
		{ false, "rist", "rist://h:2" },
	};
	json_t *all = config_describe(), *sizes;
	unsigned n_bounds = 0, n_types = 0;

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		json_t *schema = json_object_get(
			json_object_get(all, types[i].input ? "inputs"
							    : "outputs"),
			types[i].type);
		const char *key;
		json_t *p;

		cr_assert_not_null(schema, "%s", types[i].type);
		n_types++;
		json_object_foreach(json_object_get(schema, "properties"), key,
				    p) {
			const json_t *max = json_object_get(p, "maximum");
			json_int_t n = json_integer_value(max);

			if (max == NULL)
				continue;
			n_bounds++;
			cr_expect_not(is_outside(types[i].input,
						 types[i].address, key, n),
				      "%s %s", types[i].address, key);
			cr_expect(is_outside(types[i].input, types[i].address,
					     key, n + 1),
				  "%s %s", types[i].address, key);
		}
	}
	cr_assert_eq(n_types, json_object_size(json_object_get(all, "inputs")) +
			json_object_size(json_object_get(all, "outputs")));
	cr_assert_gt(n_bounds, 100);
	/* not all numbers between the bounds are accepted */
	sizes = json_pack("[i, i]", 128, 256);
	cr_expect(json_equal(sizes, json_object_get(
		property(all, "inputs", "rist", "aes-type"), "enum")));
	json_decref(sizes);
	json_decref(all);
}
