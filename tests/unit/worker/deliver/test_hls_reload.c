/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_reload.h"

#include <criterion/criterion.h>

enum { OPEN = 1002 };

/* Two complete segments of two parts each, and perhaps a third one. */
static void fill(struct ring_segments *all, struct ring_parts *parts,
		 unsigned open_parts)
{
	*all = (struct ring_segments){ .n = 2, .target_s = 3,
				       .has_open = true,
				       .open = { .number = OPEN } };
	all->list[0].number = OPEN - 2;
	all->list[1].number = OPEN - 1;
	*parts = (struct ring_parts){ .n = 4 + open_parts, .target_ms = 500 };
	for (unsigned i = 0; i < parts->n; i++)
		parts->list[i] = (struct ring_part){
			.number = OPEN - 2 + MIN(i / 2, 2U),
			.index = i < 4 ? i % 2 : i - 4,
		};
}

static int judge(const char *query, const struct ring_segments *all,
		 const struct ring_parts *parts)
{
	struct http_request *r = http_request_new(0);
	struct buf text = { 0 };
	int status;

	buf_printf(&text, "GET /news.m3u8%s HTTP/1.1\r\nHost: x\r\n\r\n",
		   query);
	cr_assert_eq(http_request_feed(r, &text), HTTP_HAVE_HEAD);
	status = hls_reload_judge(r, all, parts);
	http_request_free(&r);
	buf_done(&text);
	return status;
}

Test(hls_reload, a_request_waits_for_what_the_playlist_lacks)
{
	static const struct {
		const char *query;
		int status, stopped, unlisted;
	} cases[] = {
		{ "", 200, 200, 200 },
		{ "?_HLS_msn=1001", 200, 200, 200 },
		{ "?_HLS_msn=1002", 0, 0, 0 },
		{ "?_HLS_msn=1003", 0, 0, 0 },
		{ "?_HLS_msn=1004", 400, 400, 400 },
		{ "?_HLS_msn=1000&_HLS_part=9", 200, 200, 200 },
		{ "?_HLS_msn=1001&_HLS_part=1", 200, 200, 200 },
		/* behind the last part: the first one of the next segment */
		{ "?_HLS_msn=1001&_HLS_part=2", 200, 0, 200 },
		{ "?_HLS_msn=1002&_HLS_part=0", 200, 0, 0 },
		{ "?_HLS_msn=1002&_HLS_part=1", 0, 0, 0 },
		/* three seconds of parts ahead, and more */
		{ "?_HLS_msn=1002&_HLS_part=5", 0, 0, 0 },
		{ "?_HLS_msn=1002&_HLS_part=6", 0, 400, 0 },
		{ "?_HLS_msn=1002&_HLS_part=7", 400, 400, 0 },
		{ "?_HLS_msn=1003&_HLS_part=5", 0, 0, 0 },
		{ "?_HLS_msn=1003&_HLS_part=6", 400, 400, 0 },
		{ "?_HLS_part=1", 400, 400, 400 },
		{ "?_HLS_msn=1002&_HLS_part=x", 400, 400, 400 },
		{ "?_HLS_msn=", 400, 400, 400 },
		{ "?_HLS_msn=-1", 400, 400, 400 },
	};
	struct ring_segments all;
	struct ring_parts parts;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fill(&all, &parts, 1);
		cr_expect_eq(judge(cases[i].query, &all, &parts),
			     cases[i].status, "%s", cases[i].query);
		/* a playlist without parts */
		cr_expect_eq(judge(cases[i].query, &all, NULL), 200);
		fill(&all, &parts, 0);
		all.has_open = false;
		cr_expect_eq(judge(cases[i].query, &all, &parts),
			     cases[i].stopped, "%s", cases[i].query);
		/* the stream has parts, and the playlist has none now */
		parts.n = 0;
		cr_expect_eq(judge(cases[i].query, &all, &parts),
			     cases[i].unlisted, "%s", cases[i].query);
	}
}

Test(hls_reload, a_request_waits_for_three_target_durations)
{
	struct ring_segments all = { .n = 1, .target_s = 3 };

	cr_assert_eq(hls_reload_wait_ms(&all), 9000);
	all.target_s = 1;
	cr_assert_eq(hls_reload_wait_ms(&all), 5000);
	all.target_s = 180;
	cr_assert_eq(hls_reload_wait_ms(&all), 20000);
	all = (struct ring_segments){ .target_s = 3 };
	cr_assert_eq(hls_reload_wait_ms(&all), 20000);
}

Test(hls_reload, a_client_that_plays_reloads_within_two_target_durations)
{
	struct ring_segments all = { .n = 1, .target_s = 3 };

	cr_assert_eq(hls_reload_most_ms(&all), 6000);
	all.target_s = 0;
	cr_assert_eq(hls_reload_most_ms(&all), 0, "it is unknown");
}
