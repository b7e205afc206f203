/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/minute.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct second of(uint32_t kbps, uint32_t errors)
{
	return (struct second){ .active = true,
				.onair = errors == 0,
				.bitrate_kbps = kbps,
				.packets = kbps * 2,
				.cc_error = errors,
				.pes_error = errors * 2,
				.sc_error = errors * 3,
				.video_count = 1,
				.audio_count = errors };
}

static void add(struct minute *m, uint32_t kbps, uint32_t errors)
{
	struct second s = of(kbps, errors);

	minute_add(m, &s);
}

Test(minute, is_all_zero_at_first)
{
	struct minute m = { 0 };
	struct minute_sum sum = minute_sum(&m, 60);

	cr_assert_eq(sum.bitrate_kbps, 0u);
	cr_assert_not(sum.active);
	cr_assert_not(sum.onair);
}

Test(minute, takes_the_mean_of_the_rate_and_sums_the_counters)
{
	struct minute m = { 0 };
	struct minute_sum sum;

	add(&m, 1000, 1);
	add(&m, 2000, 0);
	add(&m, 3001, 2);
	sum = minute_sum(&m, 60);
	cr_assert_eq(sum.bitrate_kbps, 2000u); /* 2000.33 */
	cr_assert_eq(sum.packets, 12002u);
	cr_assert_eq(sum.cc_error, 3u);
	cr_assert_eq(sum.pes_error, 6u);
	cr_assert_eq(sum.sc_error, 9u);
	cr_assert_eq(sum.audio_count, 2u);
	cr_assert_not(sum.onair);
	sum = minute_sum(&m, 1);
	cr_assert_eq(sum.bitrate_kbps, 3001u);
	cr_assert_eq(sum.cc_error, 2u);
	sum = minute_sum(&m, 2);
	cr_assert_eq(sum.bitrate_kbps, 2501u); /* 2500.5 */
}

Test(minute, drops_older_seconds)
{
	struct minute m = { 0 };
	struct minute_sum sum;

	for (uint32_t i = 0; i < 1000; i++)
		add(&m, 7, i < 940 ? 5 : 0);
	sum = minute_sum(&m, 60);
	cr_assert_eq(m.n, 60u);
	cr_assert_eq(sum.cc_error, 0u);
	cr_assert(sum.onair);
	add(&m, 7, 9);
	sum = minute_sum(&m, 100000);
	cr_assert_eq(sum.cc_error, 9u);
	cr_assert_eq(sum.packets, 60u * 14u);
}

Test(minute, does_not_overflow)
{
	struct minute m = { 0 };
	struct second s = { .bitrate_kbps = UINT32_MAX,
			    .packets = UINT32_MAX };
	struct minute_sum sum;

	for (int i = 0; i < 60; i++)
		minute_add(&m, &s);
	sum = minute_sum(&m, 60);
	cr_assert_eq(sum.bitrate_kbps, (uint64_t)UINT32_MAX);
	cr_assert_eq(sum.packets, 60 * (uint64_t)UINT32_MAX);
}

Test(minute, amends_the_last_second)
{
	struct minute m = { 0 };
	struct second s = of(500, 0);

	minute_amend(&m, &s);
	cr_assert_eq(m.n, 1u);
	add(&m, 0, 0);
	minute_amend(&m, &s);
	cr_assert_eq(m.n, 2u);
	cr_assert_eq(minute_sum(&m, 60).bitrate_kbps, 500u);
}

Test(minute, is_the_same_after_it_was_text)
{
	for (size_t n = 0; n < 70; n += 23) {
		struct minute m = { 0 }, back = { .n = 7 };
		char *text, *again;

		for (uint32_t i = 0; i < n; i++)
			add(&m, UINT32_MAX - i, i % 3);
		text = minute_format(&m);
		cr_assert_eq(minute_parse(text, &back), 0, "%s", text);
		cr_assert_eq(back.n, m.n);
		again = minute_format(&back);
		cr_assert_str_eq(again, text);
		cr_assert_eq(minute_sum(&back, 60).packets,
			     minute_sum(&m, 60).packets);
		free(again);
		free(text);
	}
}

Test(minute, rejects_text_that_is_no_number)
{
	static const char *const wrong[] = {
		"x", "1", "1 1 1 1 1 1 1 1 1", "1 1 1 1 1 1 1 1\n",
		"2 1 1 1 1 1 1 1 1\n", "1 1 -1 1 1 1 1 1 1\n",
		"1 1 4294967296 1 1 1 1 1 1\n", "1 1 1 1 1 1 1 1 1\n1",
		"1  1 1 1 1 1 1 1 1\n",
	};
	char many[62 * 18 + 1] = "";
	struct minute m = { .n = 5 };

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_assert_eq(minute_parse(wrong[i], &m), -EINVAL, "%s",
			     wrong[i]);
	for (int i = 0; i < 61; i++)
		(void)strcat(many, "1 1 1 1 1 1 1 1 1\n");
	cr_assert_eq(minute_parse(many, &m), -EINVAL);
	cr_assert_eq(m.n, 5u, "nothing is written");
}
