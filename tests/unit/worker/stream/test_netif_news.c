/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/stream/netif_news.h"

#include "common/base/mono.h"

#include <criterion/criterion.h>
#include <sys/resource.h>

Test(netif_news, without_news_the_interfaces_are_polled_once_a_second)
{
	struct ev_loop *loop = ev_loop_new(0);
	struct rlimit before, none;
	struct netif_news news;
	uint64_t now_ns;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ .rlim_max = before.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	netif_news_init(&news, loop, true);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);

	now_ns = mono_ns();
	cr_expect_eq(netif_news_fd(&news), -1);
	cr_expect_leq(netif_news_next_ns(&news), now_ns + SECOND_NS);
	cr_expect_not(netif_news_take(&news, news.due_ns - 1));
	cr_expect(netif_news_take(&news, now_ns + SECOND_NS));
	cr_expect_geq(netif_news_fd(&news), 0, "it receives by now");
	cr_expect_eq(netif_news_next_ns(&news), UINT64_MAX);
	cr_expect_not(netif_news_take(&news, now_ns + 5 * SECOND_NS));
	netif_news_done(&news);
	ev_loop_destroy(loop);
}
