/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/report_shape.h"

#include <criterion/criterion.h>
#include <errno.h>

static int judge(const char *text, struct errmsg *error)
{
	json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
	int err;

	cr_assert_not_null(value, "%s", text);
	err = field_read(&report_fields, value, NULL, error);
	json_decref(value);
	return err;
}

Test(report_shape, lets_a_report_pass)
{
	static const char *const good[] = {
		"{}",
		"{\"watched\":true,\"packets\":0}",
		"{\"loss\":{\"network\":1,\"recovered\":2,\"socket\":3,"
			"\"sync\":9223372036854775807}}",
		"{\"indicators\":[{\"alarm\":\"pat\",\"priority\":1,"
			"\"raised\":true,\"count\":3}]}",
		"{\"pids\":[{\"pid\":1,\"programs\":[1,2],\"packets\":1,"
			"\"bitrate\":1,\"scrambled\":0,\"cc_errors\":0,"
			"\"duplicates\":0,\"transport_errors\":0,"
			"\"pes_errors\":0}]}",
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		cr_assert_eq(judge(good[i], NULL), 0, "%s", good[i]);
}

Test(report_shape, refuses_every_other_shape)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "[]", "is not an object" },
		{ "{\"watched\":1}", "watched: 1 is not true or false" },
		{ "{\"packets\":-1}", "packets: -1 is less than 0" },
		{ "{\"packets\":1.5}", "packets: 1.5 is not a whole number" },
		{ "{\"extra\":1}", "extra: is not known" },
		{ "{\"pids\":{}}", "pids: is not a list" },
		{ "{\"pids\":[1]}", "pids[0]: is not an object" },
		{ "{\"programs\":[{\"number\":1,\"pmt_pid\":1}]}",
		  "programs[0].pmt: is missing" },
		{ "{\"indicators\":[{\"alarm\":\"0123456789012345678901234567"
		  "89012\",\"priority\":1,\"raised\":true,\"count\":3}]}",
		  "indicators[0].alarm: is longer than 32 bytes" },
		{ "{\"loss\":{\"network\":1,\"recovered\":2,\"socket\":3,"
		  "\"sync\":[]}}", "loss.sync: is not a whole number" },
		{ "{\"pids\":[{\"pid\":1,\"programs\":[1,2,3,4,5,6,7,8,9]}]}",
		  "pids[0].programs: has 9 items, more than 8" },
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct errmsg error = { 0 };

		cr_assert_eq(judge(bad[i].text, &error), -EINVAL, "%s",
			     bad[i].text);
		cr_assert_str_eq(error.text, bad[i].error);
	}
}
