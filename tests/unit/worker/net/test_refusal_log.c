/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/refusal_log.h"

#include "tests/unit/log_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { DAY_S = 86400 };

static struct errmsg reason(const char *who)
{
	struct errmsg error;

	errmsg_set(&error, "%s: call refused: no", who);
	return error;
}

/* A caller that tries for days causes a line now and then, and each call is
 * counted. */
Test(refusal_log, counts_repeated_refusals)
{
	struct refusal_log r = { .more = 0 };
	struct errmsg error = reason("192.0.2.1");
	struct log_lines t = { 0 };

	log_open(log_lines_take, &t, LOG_LEVEL_INFO);
	for (uint64_t s = 1; s <= DAY_S; s++) {
		refusal_log_add(&r, "rist", 9000, &error, 3, s * 1000);
		refusal_log_every_second(&r, "rist", 9000, s * 1000);
		if (s == 1)
			cr_assert_str_eq(t.last, "rist port 9000: 192.0.2.1: "
					 "call refused: no");
		if (s == 61)
			cr_assert_eq(t.n, 3);
	}
	cr_assert_leq(t.n, 2 * DAY_S / 60 + 2);
	cr_assert_geq(t.n, DAY_S / 60);
	refusal_log_every_second(&r, "rist", 9000,
				 (DAY_S + 60) * UINT64_C(1000));
	cr_assert(strncmp(t.last,
			  "rist port 9000: calls refused since the last such "
			  "line: ", 56) == 0,
		  "%s", t.last);
}

Test(refusal_log, logs_other_refusals_at_once_with_a_limit)
{
	struct refusal_log r = { .more = 0 };
	struct log_lines t = { 0 };
	char who[16];

	log_open(log_lines_take, &t, LOG_LEVEL_INFO);
	refusal_log_add(&r, "srt", 9, &(struct errmsg){ "x" }, 0, 1000);
	cr_assert_eq(t.n, 0, "no refusal");
	for (unsigned i = 0; i < 1000; i++) {
		struct errmsg error;

		(void)snprintf(who, sizeof who, "192.0.2.%u", i % 250);
		error = reason(who);
		refusal_log_add(&r, "srt", 9, &error, 1, 1000 + i);
	}
	cr_assert_eq(t.n, 5);
	refusal_log_every_second(&r, "srt", 9, 62000);
	cr_assert_str_eq(t.last, "srt port 9: calls refused since the last "
				 "such line: 995");
}
