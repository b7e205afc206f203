/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer_sessions.h"

#include "worker/deliver/viewer.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { MANY = MSG_SESSIONS_MAX + 1 };

static struct roster r;
static struct viewer viewers[MANY];
static struct msg_deliver_sessions page;

static void enter(struct viewer *v, uint64_t begun_ms)
{
	v->stream = "a";
	v->begun_ms = begun_ms;
	(void)snprintf(v->peer, sizeof v->peer, "192.0.2.7");
	roster_enter(&r, v);
}

Test(roster, tells_who_is_there)
{
	roster_init(&r, 1000);
	roster_list(&r, 0, 0, &page);
	cr_assert_eq(page.n, 0u);
	cr_assert_not(page.more);
	enter(&viewers[0], 5000);
	enter(&viewers[1], 6000);
	enter(&viewers[2], 7000);
	roster_leave(&r, &viewers[1]);
	roster_list(&r, 0, 8999, &page);
	cr_assert_eq(page.n, 2u);
	cr_assert_eq(page.list[0].client, viewers[0].client);
	cr_assert_eq(page.list[0].uptime_s, 3u);
	cr_assert_str_eq(page.list[0].peer, "192.0.2.7");
	cr_assert_eq(page.list[1].client, viewers[2].client);
	cr_assert_eq(page.list[1].uptime_s, 1u);
	roster_list(&r, viewers[1].client, 8999, &page);
	cr_assert_eq(page.n, 1u);
	cr_assert_eq(roster_find(&r, viewers[2].client), &viewers[2]);
	cr_assert_null(roster_find(&r, viewers[1].client));
}

Test(roster, tells_a_page_at_a_time)
{
	roster_init(&r, 1000);
	for (size_t i = 0; i < MANY; i++)
		enter(&viewers[i], 0);
	roster_list(&r, 0, 0, &page);
	cr_assert_eq(page.n, (size_t)MSG_SESSIONS_MAX);
	cr_assert(page.more);
	roster_list(&r, page.list[page.n - 1].client, 0, &page);
	cr_assert_eq(page.n, 1u);
	cr_assert_not(page.more);
	roster_leave(&r, &viewers[MANY - 1]);
	roster_list(&r, 0, 0, &page);
	cr_assert_eq(page.n, (size_t)MSG_SESSIONS_MAX);
	cr_assert_not(page.more);
}

Test(roster, gives_no_number_twice)
{
	uint64_t last;

	roster_init(&r, 1000);
	enter(&viewers[0], 0);
	roster_leave(&r, &viewers[0]);
	last = viewers[0].client;
	enter(&viewers[0], 0);
	cr_assert_gt(viewers[0].client, last);
	roster_init(&r, 1001);
	enter(&viewers[1], 0);
	cr_assert_gt(viewers[1].client, viewers[0].client + 1000);
	/* a number that no receiver has, in 2100 */
	roster_init(&r, UINT64_C(4102444800000));
	enter(&viewers[2], 0);
	cr_assert_lt(viewers[2].client, MSG_RECEIVER_BIT);
}
