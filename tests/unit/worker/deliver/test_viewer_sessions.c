/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer_sessions.h"

#include "worker/deliver/viewer.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { MANY = MSG_SESSIONS_MAX + 1 };

static struct viewer_sessions r;
static struct viewer viewers[MANY];
static struct msg_deliver_sessions page;

static void add(struct viewer *v, uint64_t begun_ms)
{
	v->stream = "a";
	v->begun_ms = begun_ms;
	(void)snprintf(v->peer, sizeof v->peer, "192.0.2.7");
	viewer_sessions_add(&r, v);
}

Test(viewer_sessions, lists_the_viewers)
{
	viewer_sessions_init(&r, 1000);
	viewer_sessions_list(&r, 0, 0, &page);
	cr_assert_eq(page.n, 0u);
	cr_assert_not(page.more);
	add(&viewers[0], 5000);
	add(&viewers[1], 6000);
	add(&viewers[2], 7000);
	viewer_sessions_remove(&r, &viewers[1]);
	viewer_sessions_list(&r, 0, 8999, &page);
	cr_assert_eq(page.n, 2u);
	cr_assert_eq(page.list[0].client, viewers[0].client);
	cr_assert_eq(page.list[0].uptime_s, 3u);
	cr_assert_str_eq(page.list[0].peer, "192.0.2.7");
	cr_assert_eq(page.list[1].client, viewers[2].client);
	cr_assert_eq(page.list[1].uptime_s, 1u);
	viewer_sessions_list(&r, viewers[1].client, 8999, &page);
	cr_assert_eq(page.n, 1u);
	cr_assert_eq(viewer_sessions_find(&r, viewers[2].client), &viewers[2]);
	cr_assert_null(viewer_sessions_find(&r, viewers[1].client));
}

Test(viewer_sessions, lists_a_page_at_a_time)
{
	viewer_sessions_init(&r, 1000);
	for (size_t i = 0; i < MANY; i++)
		add(&viewers[i], 0);
	viewer_sessions_list(&r, 0, 0, &page);
	cr_assert_eq(page.n, (size_t)MSG_SESSIONS_MAX);
	cr_assert(page.more);
	viewer_sessions_list(&r, page.list[page.n - 1].client, 0, &page);
	cr_assert_eq(page.n, 1u);
	cr_assert_not(page.more);
	viewer_sessions_remove(&r, &viewers[MANY - 1]);
	viewer_sessions_list(&r, 0, 0, &page);
	cr_assert_eq(page.n, (size_t)MSG_SESSIONS_MAX);
	cr_assert_not(page.more);
}

Test(viewer_sessions, gives_no_number_twice)
{
	uint64_t last;

	viewer_sessions_init(&r, 1000);
	add(&viewers[0], 0);
	viewer_sessions_remove(&r, &viewers[0]);
	last = viewers[0].client;
	add(&viewers[0], 0);
	cr_assert_gt(viewers[0].client, last);
	viewer_sessions_init(&r, 1001);
	add(&viewers[1], 0);
	cr_assert_gt(viewers[1].client, viewers[0].client + 1000);
	/* a number that no receiver has, in 2100 */
	viewer_sessions_init(&r, UINT64_C(4102444800000));
	add(&viewers[2], 0);
	cr_assert_lt(viewers[2].client, MSG_RECEIVER_BIT);
}
