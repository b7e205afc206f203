/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/report_shape.h"

#include <criterion/criterion.h>
#include <errno.h>

static int judge(const char *text, struct errmsg *why)
{
	json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
	int err;

	cr_assert_not_null(value, "%s", text);
	err = report_shape_judge(value, why);
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
		const char *text, *why;
	} bad[] = {
		{ "[]", "not an object" },
		{ "{\"watched\":1}", "watched: is wrong" },
		{ "{\"packets\":-1}", "packets: is wrong" },
		{ "{\"packets\":1.5}", "packets: is wrong" },
		{ "{\"extra\":1}", "unknown keys" },
		{ "{\"pids\":{}}", "pids: no list, or too long" },
		{ "{\"pids\":[1]}", "pids[0].not an object" },
		{ "{\"programs\":[{\"number\":1,\"pmt_pid\":1}]}",
		  "programs[0].pmt: missing" },
		{ "{\"indicators\":[{\"alarm\":\"0123456789012345678901234567"
		  "89012\",\"priority\":1,\"raised\":true,\"count\":3}]}",
		  "indicators[0].alarm: is wrong" },
		{ "{\"loss\":{\"network\":1,\"recovered\":2,\"socket\":3,"
		  "\"sync\":[]}}", "loss.sync: is wrong" },
		{ "{\"pids\":[{\"pid\":1,\"programs\":[1,2,3,4,5,6,7,8,9]}]}",
		  "pids[0].programs: is wrong" },
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct errmsg why = { 0 };

		cr_assert_eq(judge(bad[i].text, &why), -EBADMSG, "%s",
			     bad[i].text);
		cr_assert_str_eq(why.text, bad[i].why);
	}
}
