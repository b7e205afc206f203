/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/http_range.h"

#include "common/base/util.h"

#include <criterion/criterion.h>

Test(http_range, reads_what_the_rfc_allows)
{
	static const struct {
		const char *text;
		enum http_range range;
		uint64_t start, end;
	} cases[] = {
		{ NULL, HTTP_RANGE_WHOLE, 0, 0 },
		{ "", HTTP_RANGE_WHOLE, 0, 0 },
		{ "bytes=0-", HTTP_RANGE_PART, 0, 1000 },
		{ "bytes=0-0", HTTP_RANGE_PART, 0, 1 },
		{ "Bytes=10-19", HTTP_RANGE_PART, 10, 20 },
		{ "bytes=990-5000", HTTP_RANGE_PART, 990, 1000 },
		{ "bytes=-1", HTTP_RANGE_PART, 999, 1000 },
		{ "bytes=-5000", HTTP_RANGE_PART, 0, 1000 },
		{ "bytes=999-99999999999999999999999", HTTP_RANGE_PART, 999,
		  1000 },
		{ "bytes=1000-", HTTP_RANGE_NONE, 0, 0 },
		{ "bytes=99999999999999999999999-", HTTP_RANGE_NONE, 0, 0 },
		{ "bytes=-0", HTTP_RANGE_NONE, 0, 0 },
		{ "bytes=", HTTP_RANGE_WHOLE, 0, 0 },
		{ "bytes=-", HTTP_RANGE_WHOLE, 0, 0 },
		{ "bytes=5", HTTP_RANGE_WHOLE, 0, 0 },
		{ "bytes=5-4", HTTP_RANGE_WHOLE, 0, 0 },
		{ "bytes=0-1,3-4", HTTP_RANGE_WHOLE, 0, 0 },
		{ "bytes=0-1 ", HTTP_RANGE_WHOLE, 0, 0 },
		{ "bytes= 0-1", HTTP_RANGE_WHOLE, 0, 0 },
		{ "bytes=+1-2", HTTP_RANGE_WHOLE, 0, 0 },
		{ "items=0-1", HTTP_RANGE_WHOLE, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t start = 0, end = 0;

		cr_assert_eq(http_range_read(cases[i].text, 1000, &start, &end),
			     cases[i].range, "%zu", i);
		cr_assert_eq(start, cases[i].start, "%zu", i);
		cr_assert_eq(end, cases[i].end, "%zu", i);
	}
}
