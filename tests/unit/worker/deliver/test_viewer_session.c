/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer_session.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MANY = MSG_SESSIONS_MAX + 1 };

static struct sessions *all;
static struct session *list[MANY];
static struct msg_deliver_sessions page;
static struct msg_deliver_changes changes;
static unsigned changed;

static void on_change(void *arg)
{
	(void)arg;
	changed++;
}

static void begin(uint64_t wall_ms)
{
	all = sessions_new(wall_ms, 0, on_change, NULL);
}

static void end(void)
{
	for (size_t i = 0; i < MANY; i++)
		session_free(&list[i]);
	sessions_free(&all);
}

static struct session *make(size_t i)
{
	struct ip_address peer;

	cr_assert_eq(ip_parse("192.0.2.7", &peer), 0);
	return list[i] = session_new(all, &(struct session_config){
		.stream = "a", .peer = &peer, .protocol = "http",
		.agent = "VLC",
	});
}

static void add(size_t i, uint64_t begun_ms)
{
	session_join(make(i), begun_ms);
}

Test(session, lists_the_joined_ones)
{
	uint64_t gone;

	begin(1000);
	sessions_list(all, 0, 0, &page);
	cr_assert_eq(page.n, 0u);
	cr_assert_not(page.more);
	add(0, 5000);
	add(1, 6000);
	add(2, 7000);
	(void)make(3);
	session_set_login(list[2], "anna");
	gone = list[1]->client;
	session_free(&list[1]);
	sessions_list(all, 0, 8999, &page);
	cr_assert_eq(page.n, 2u);
	cr_assert_eq(page.list[0].client, list[0]->client);
	cr_assert_eq(page.list[0].uptime_s, 3u);
	cr_assert_str_eq(page.list[0].peer, "192.0.2.7");
	cr_assert_str_eq(page.list[0].agent, "VLC");
	cr_assert_str_eq(page.list[0].login, "");
	cr_assert_eq(page.list[1].client, list[2]->client);
	cr_assert_eq(page.list[1].uptime_s, 1u);
	cr_assert_str_eq(page.list[1].login, "anna");
	sessions_list(all, gone, 8999, &page);
	cr_assert_eq(page.n, 1u);
	cr_assert_eq(sessions_find(all, list[2]->client), list[2]);
	cr_assert_null(sessions_find(all, gone));
	cr_assert_eq(sessions_find(all, list[3]->client), list[3], "it waits");
	end();
}

Test(session, keeps_the_order_of_numbers)
{
	begin(1000);
	(void)make(0);
	add(1, 0);
	session_join(list[0], 0);
	sessions_list(all, 0, 0, &page);
	cr_assert_eq(page.list[0].client, list[0]->client);
	cr_assert_eq(page.list[1].client, list[1]->client);
	end();
}

Test(session, lists_a_page_at_a_time)
{
	begin(1000);
	for (size_t i = 0; i < MANY; i++)
		add(i, 0);
	sessions_list(all, 0, 0, &page);
	cr_assert_eq(page.n, (size_t)MSG_SESSIONS_MAX);
	cr_assert(page.more);
	sessions_list(all, page.list[page.n - 1].client, 0, &page);
	cr_assert_eq(page.n, 1u);
	cr_assert_not(page.more);
	session_free(&list[MANY - 1]);
	sessions_list(all, 0, 0, &page);
	cr_assert_eq(page.n, (size_t)MSG_SESSIONS_MAX);
	cr_assert_not(page.more);
	end();
}

Test(session, gives_no_number_twice)
{
	uint64_t last;

	begin(1000);
	add(0, 0);
	last = list[0]->client;
	session_free(&list[0]);
	add(0, 0);
	cr_assert_gt(list[0]->client, last);
	last = list[0]->client;
	end();
	begin(1001);
	add(1, 0);
	cr_assert_gt(list[1]->client, last + 1000);
	end();
	/* a number that no receiver has, in 2100 */
	begin(UINT64_C(4102444800000));
	add(2, 0);
	cr_assert_lt(list[2]->client, MSG_RECEIVER_BIT);
	end();
}

Test(session, numbers_of_two_workers_differ)
{
	begin(1000);
	add(0, 0);
	add(1, 0);
	cr_assert_eq(msg_deliver_of(list[0]->client), 0u);
	cr_assert_eq(msg_deliver_of(list[1]->client), 0u);
	end();
	all = sessions_new(1000, MSG_DELIVER_MAX - 1, on_change, NULL);
	add(0, 0);
	cr_assert_eq(msg_deliver_of(list[0]->client), MSG_DELIVER_MAX - 1u);
	end();
}

Test(session, reports_what_came_and_left)
{
	uint64_t first, second;

	begin(1000);
	cr_assert_not(sessions_take_changes(all, 0, &changes));
	(void)make(0);
	session_free(&list[0]);
	cr_assert_eq(changed, 0u, "the master never heard of it");
	list[0] = make(0);
	list[0]->asked = true;
	first = list[0]->client;
	session_free(&list[0]);
	add(1, 0);
	second = list[1]->client;
	cr_assert_eq(changed, 2u);
	cr_assert(sessions_take_changes(all, 0, &changes));
	cr_assert_eq(changes.n_joined, 1u);
	cr_assert_eq(changes.joined[0].client, second);
	cr_assert_eq(changes.n_left, 1u);
	cr_assert_eq(changes.left[0], first);
	cr_assert_not(sessions_take_changes(all, 0, &changes));
	/* another master */
	sessions_renew(all);
	cr_assert(sessions_take_changes(all, 0, &changes));
	cr_assert_eq(changes.joined[0].client, second);
	session_free(&list[1]);
	cr_assert(sessions_take_changes(all, 0, &changes));
	cr_assert_eq(changes.n_joined, 0u);
	cr_assert_eq(changes.left[0], second);
	/* came and left between two reports */
	add(2, 0);
	session_free(&list[2]);
	cr_assert_not(sessions_take_changes(all, 0, &changes));
	end();
}

Test(session, fits_a_report_into_a_message)
{
	struct msg m = { .type = MSG_DELIVER_CHANGES };
	static char text[65536];
	struct ip_address peer;
	char agent[300];
	unsigned n = 0;

	memset(agent, '"', sizeof agent - 1);
	agent[sizeof agent - 1] = '\0';
	begin(1000);
	cr_assert_eq(ip_parse("2001:db8:1111:2222:3333:4444:5555:6666", &peer),
		     0);
	for (size_t i = 0; i < MANY; i++) {
		list[i] = session_new(all, &(struct session_config){
			.stream = "0123456789012345678901234567890123456789"
				  "012345678901234567890123",
			.peer = &peer, .protocol = "https", .agent = agent,
		});
		session_set_login(list[i], agent);
		session_join(list[i], 0);
	}
	while (sessions_take_changes(all, 0, &m.deliver_changes)) {
		n += (unsigned)m.deliver_changes.n_joined;
		cr_assert_gt(msg_encode(&m, text), 0);
	}
	cr_assert_eq(n, (unsigned)MANY);
	end();
}
