/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/scan_spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct errmsg error;
static json_t *request;

static int parse(const char *text, struct scan_spec *ret)
{
	json_error_t broken;

	json_decref(request);
	request = json_loads(text, 0, &broken);
	cr_assert_not_null(request, "%s", broken.text);
	return scan_spec_parse(request, ret, &error);
}

static void rejects(const char *text, const char *expected)
{
	struct scan_spec spec;

	cr_assert_eq(parse(text, &spec), -EINVAL, "%s", text);
	cr_assert_not_null(strstr(error.text, expected), "%s", error.text);
}

#define BLIND(grid) "{\"search\":\"blind\",\"adapter\":{\"type\":\"S2\"}," \
	"\"grid\":{" grid "}}"

Test(scan_spec, judges_the_grid)
{
	rejects("{}", "adapter");
	rejects("{\"adapter\":1}", "adapter");
	rejects("{\"adapter\":{},\"search\":\"all\"}", "search");
	rejects(BLIND(""), "grid.from: 0 is not a frequency");
	rejects(BLIND("\"from\":10700,\"to\":10600"),
		"grid.to: 10600 is below");
	rejects(BLIND("\"from\":10700,\"to\":10800,\"step\":0.01"),
		"grid.step: 0.01 is below 0.1 MHz");
	rejects(BLIND("\"from\":10700,\"to\":10800,\"step\":-1"), "grid.step");
	rejects(BLIND("\"from\":10700,\"to\":10800,\"polarization\":\"VX\""),
		"grid.polarization: \"VX\" has other letters");
	rejects(BLIND("\"from\":10700,\"to\":12750,\"step\":0.5"),
		"grid: has 8202 steps, at most 4096 are searched");
	rejects(BLIND("\"from\":10700,\"to\":10701,\"symbolrate\":[5]"),
		"grid.symbolrate");
	json_decref(request);
}

static void expect_step(const struct scan_spec *spec, size_t i, double mhz,
			const char *polarization, json_int_t symbolrate)
{
	json_t *t = scan_spec_step(spec, i);

	cr_assert_eq(json_number_value(json_object_get(t, "frequency")), mhz);
	if (polarization != NULL)
		cr_assert_str_eq(json_string_value(
			json_object_get(t, "polarization")), polarization);
	else
		cr_assert_null(json_object_get(t, "polarization"));
	cr_assert_eq(json_integer_value(json_object_get(t, "symbolrate")),
		     symbolrate);
	json_decref(t);
}

Test(scan_spec, steps_through_all_of_the_grid)
{
	struct scan_spec spec;

	cr_assert_eq(parse(BLIND("\"from\":10700,\"to\":10703,"
				 "\"symbolrate\":[22000,5000]"), &spec), 0);
	/* a quarter of the least symbol rate */
	cr_assert_eq(spec.steps, 12u);
	expect_step(&spec, 0, 10700, "V", 22000);
	expect_step(&spec, 1, 10700, "V", 5000);
	expect_step(&spec, 2, 10701.25, "V", 22000);
	expect_step(&spec, 6, 10700, "H", 22000);
	expect_step(&spec, 11, 10702.5, "H", 5000);

	cr_assert_eq(parse("{\"search\":\"blind\",\"adapter\":{\"type\":\"T\"},"
			   "\"grid\":{\"from\":474,\"to\":490,"
			   "\"symbolrate\":[6900]}}", &spec), 0);
	cr_assert_eq(spec.steps, 3u);
	expect_step(&spec, 1, 482, NULL, 0);
	json_decref(request);
}
