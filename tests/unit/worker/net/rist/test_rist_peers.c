/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist/rist_peers.h"

#include "common/base/mono.h"

#include <criterion/criterion.h>

/* Only the addresses of librist's peers are used. */
static char places[256];

static struct rist_peer *peer(size_t i)
{
	return (struct rist_peer *)&places[i];
}

static int come_to(struct rist_peers *p, size_t i, const char *host,
		   const char *local, uint16_t local_port)
{
	return rist_peers_on_connect(p, host, (uint16_t)(5000 + i), local,
				     local_port, peer(i));
}

static int come(struct rist_peers *p, size_t i, const char *host,
		uint16_t local_port)
{
	return come_to(p, i, host, "0.0.0.0", local_port);
}

static void wait_at(struct rist_peers *p, size_t way, const char *host,
		    uint16_t port)
{
	struct sockaddr_any at;

	cr_assert_eq(sockaddr_parse(host, port, &at), 0);
	rist_peers_wait(p, way, &at);
}

Test(rist_peers, are_bounded_in_all_and_for_each_host)
{
	struct rist_peers p;
	struct errmsg error;

	rist_peers_init(&p, 5, 3, 0);
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(come(&p, i, "192.0.2.1", 9000), 0);
	cr_assert_lt(come(&p, 3, "192.0.2.1", 9000), 0);
	cr_assert_eq(come(&p, 4, "2001:db8::1", 9000), 0);
	cr_assert_eq(come(&p, 5, "192.0.2.3", 9000), 0);
	cr_assert_lt(come(&p, 6, "192.0.2.4", 9000), 0);
	cr_assert_eq(rist_peers_take_refused(&p, &error), 2);
	cr_assert_str_eq(error.text, "192.0.2.4: call refused: "
			 "too many peers");
	cr_assert_eq(rist_peers_take_refused(&p, &error), 0);
	rist_peers_on_gone(&p, peer(1));
	rist_peers_on_gone(&p, peer(99));
	cr_assert_eq(come(&p, 7, "192.0.2.1", 9000), 0);
	rist_peers_done(&p);
}

Test(rist_peers, a_port_belongs_to_the_active_host)
{
	struct rist_peers p;
	struct errmsg error;

	rist_peers_init(&p, 9, 9, RIST_PEERS_SEND | RIST_PEERS_OWN_PORTS);
	wait_at(&p, 0, "0.0.0.0", 9000);
	wait_at(&p, 1, "0.0.0.0", 9002);
	cr_assert_eq(come(&p, 0, "192.0.2.1", 9000), 0);
	cr_assert_eq(come(&p, 1, "192.0.2.2", 9000), 0, "no host is active");
	rist_peers_received(&p, peer(0), mono_ms());
	cr_assert_lt(come(&p, 2, "192.0.2.3", 9000), 0);
	cr_assert_lt(come(&p, 3, "192.0.2.3", 9001), 0, "the RTCP half");
	cr_assert_eq(come(&p, 4, "192.0.2.1", 9001), 0);
	cr_assert_eq(come(&p, 5, "192.0.2.3", 9002), 0, "another port");
	cr_assert_eq(rist_peers_path(&p, peer(5)), 1);
	cr_assert_eq(rist_peers_path(&p, peer(3)), 0, "he was sent away");
	(void)rist_peers_take_refused(&p, &error);
	cr_assert_str_eq(error.text, "192.0.2.3: call refused: "
			 "another sender is active");
	rist_peers_received(&p, peer(0), 1);
	cr_assert_eq(come(&p, 6, "192.0.2.3", 9000), 0, "it is silent");
	rist_peers_done(&p);
}

/* One port of two addresses is the usual setting for two networks. */
Test(rist_peers, a_path_is_an_address_and_a_port)
{
	struct rist_peers p;

	rist_peers_init(&p, 16, 8, RIST_PEERS_SEND | RIST_PEERS_OWN_PORTS);
	wait_at(&p, 0, "10.1.0.1", 9000);
	wait_at(&p, 1, "10.2.0.1", 9000);
	cr_assert_eq(come_to(&p, 0, "10.1.0.9", "10.1.0.1", 9000), 0);
	rist_peers_received(&p, peer(0), mono_ms());
	cr_assert_eq(come_to(&p, 1, "10.2.0.9", "10.2.0.1", 9000), 0,
		     "no host is active at the other address");
	cr_assert_eq(come_to(&p, 2, "10.2.0.9", "10.2.0.1", 9001), 0);
	cr_assert_lt(come_to(&p, 3, "10.2.0.9", "10.1.0.1", 9000), 0);
	cr_assert_eq(rist_peers_path(&p, peer(0)), 0);
	cr_assert_eq(rist_peers_path(&p, peer(1)), 1);
	cr_assert_eq(rist_peers_path(&p, peer(2)), 1, "its other half");
	rist_peers_done(&p);
}

/* librist has eight peers for four paths of the simple profile. */
Test(rist_peers, are_bounded_at_each_local_port)
{
	struct rist_peers p;
	size_t n = 0;

	rist_peers_init(&p, 3, 2, RIST_PEERS_SEND | RIST_PEERS_OWN_PORTS);
	for (size_t way = 0; way < 4; way++)
		wait_at(&p, way, "0.0.0.0", (uint16_t)(9000 + 2 * way));
	for (size_t run = 0; run < 2; run++)
		for (uint16_t port = 9000; port < 9008; port++)
			cr_assert_eq(come(&p, n++, "192.0.2.1", port), 0,
				     "run %zu, port %u", run, (unsigned)port);
	cr_assert_lt(come(&p, n++, "192.0.2.1", 9003), 0);
	cr_assert_eq(come(&p, n++, "192.0.2.2", 9003), 0);
	cr_assert_lt(come(&p, n++, "192.0.2.3", 9003), 0);
	rist_peers_done(&p);
}

Test(rist_peers, silent_peers_of_a_host_make_room)
{
	struct rist_peers p;

	rist_peers_init(&p, 3, 2, RIST_PEERS_SEND);
	wait_at(&p, 0, "0.0.0.0", 9000);
	cr_assert_eq(come(&p, 0, "192.0.2.1", 9000), 0);
	cr_assert_eq(come(&p, 1, "192.0.2.1", 9000), 0);
	cr_assert_lt(come(&p, 2, "192.0.2.1", 9000), 0);
	for (size_t i = 0; i < p.n; i++)
		p.list[i].came_ms -= 2001;
	rist_peers_received(&p, peer(0), mono_ms());
	cr_assert_eq(come(&p, 3, "192.0.2.1", 9000), 0, "the second is dead");
	cr_assert_lt(come(&p, 4, "192.0.2.1", 9000), 0, "the first is not");
	cr_assert_eq(come(&p, 5, "192.0.2.2", 9000), 0);
	cr_assert_lt(come(&p, 6, "192.0.2.3", 9000), 0, "no other host");
	rist_peers_on_gone(&p, peer(1));
	cr_assert_eq(p.n, 3);
	rist_peers_done(&p);
}

Test(rist_peers, are_listed_while_they_answer_or_deliver)
{
	struct rist_peers p;
	struct sockaddr_any called;
	char text[SOCKADDR_TEXT_MAX];

	cr_assert_eq(sockaddr_parse("2001:db8::2", 7000, &called), 0);
	rist_peers_init(&p, 9, 9, 0);
	rist_peers_add(&p, peer(0), 1, &called);
	rist_peers_format(&p, 0, 0, text, sizeof text);
	cr_assert_str_eq(text, "");
	rist_peers_state(&p, peer(77), true);
	rist_peers_format(&p, 0, 0, text, sizeof text);
	cr_assert_str_eq(text, "[2001:db8::2]:7000", "by its other half");
	cr_assert_eq(come(&p, 1, "192.0.2.1", 9000), 0);
	rist_peers_state(&p, peer(1), true);
	rist_peers_format(&p, 0, 0, text, sizeof text);
	cr_assert_str_eq(text, "[2001:db8::2]:7000, 192.0.2.1");
	rist_peers_format(&p, 0, 2, text, sizeof text);
	cr_assert_str_eq(text, "192.0.2.1", "its path is silent");
	rist_peers_format(&p, 0, 1, text, sizeof text);
	cr_assert_str_eq(text, "[2001:db8::2]:7000, 192.0.2.1");
	rist_peers_received(&p, peer(1), 50);
	rist_peers_format(&p, 50, 0, text, sizeof text);
	cr_assert_str_eq(text, "192.0.2.1");
	rist_peers_format(&p, 51, 0, text, sizeof text);
	cr_assert_str_eq(text, "");
	rist_peers_format_one(&p, peer(2), text);
	cr_assert_str_eq(text, "?");
	rist_peers_state(&p, peer(0), false);
	rist_peers_format(&p, 0, 0, text, 8);
	cr_assert_str_eq(text, "192.0.2", "cut to its place");
	rist_peers_done(&p);
}
