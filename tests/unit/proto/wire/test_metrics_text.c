/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/metrics_text.h"

#include "common/base/buf.h"

#include <criterion/criterion.h>

static void assert_text(struct buf *text, const char *expected)
{
	buf_append(text, "", 1);
	cr_assert_str_eq((const char *)buf_head(text), expected);
	buf_done(text);
	*text = (struct buf){ 0 };
}

Test(metrics_text, a_metric_is_its_head_and_its_samples)
{
	struct buf text = { 0 };

	metrics_head(&text, "a_total", METRIC_COUNTER, "What it counts.");
	metrics_sample(&text, "a_total", NULL, 3);
	metrics_head(&text, "b", METRIC_GAUGE, "Another one.");
	metrics_sample(&text, "b", (struct metric_label[]){
		{ "stream", "x" }, { "input", "1" }, { 0 } }, 0.25);
	assert_text(&text, "# HELP a_total What it counts.\n"
			   "# TYPE a_total counter\n"
			   "a_total 3\n"
			   "# HELP b Another one.\n"
			   "# TYPE b gauge\n"
			   "b{stream=\"x\",input=\"1\"} 0.25\n");
}

Test(metrics_text, escapes_what_would_end_a_label)
{
	static const struct {
		const char *value, *line;
	} cases[] = {
		{ "", "m{l=\"\"} 1\n" },
		{ "\"", "m{l=\"\\\"\"} 1\n" },
		{ "a\\b", "m{l=\"a\\\\b\"} 1\n" },
		{ "a\nb\n", "m{l=\"a\\nb\\n\"} 1\n" },
		{ "\xc3\xa9 {},=", "m{l=\"\xc3\xa9 {},=\"} 1\n" },
	};
	struct buf text = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		metrics_sample(&text, "m", (struct metric_label[]){
			{ "l", cases[i].value }, { 0 } }, 1);
		assert_text(&text, cases[i].line);
	}
}

Test(metrics_text, a_sum_of_bytes_stays_exact)
{
	struct buf text = { 0 };

	metrics_sample(&text, "m", NULL, 9007199254740991.);
	metrics_sample(&text, "m", NULL, -0.06);
	assert_text(&text, "m 9007199254740991\nm -0.06\n");
}
