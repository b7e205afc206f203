/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/util.h"
#include "master/config/check.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(check_stream, keeps_streams_that_only_adapters_feed)
{
	static const struct {
		const char *inputs;
		bool idle;
	} cases[] = {
		{ "[\"dvb://a\"]", true },
		{ "[\"dvb://a\",\"DVB://b#pnr=1\"]", true },
		{ "[\"dvb://a\",\"udp://239.1.1.1\"]", false },
		{ "[]", true },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct check_place place = { .path = "stream" };
		struct errmsg why;
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
		cr_expect_eq(check_stream_idle(stream, &why), cases[i].idle,
			     "%s", text);
		json_decref(stream);
	}
}
