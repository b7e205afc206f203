/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist_peers.h"

#include "common/mono.h"

#include <criterion/criterion.h>

/* The library's peers are looked at by their addresses alone. */
static char places[256];

static struct rist_peer *peer(size_t i)
{
	return (struct rist_peer *)&places[i];
}

static int come(struct rist_peers *p, size_t i, const char *host,
		uint16_t local_port)
{
	return rist_peers_on_connect(p, host, (uint16_t)(5000 + i), "0.0.0.0",
				     local_port, peer(i));
}

Test(rist_peers, are_bounded_in_all_and_for_each_host)
{
	struct rist_peers p;
	struct errmsg why;

	rist_peers_init(&p, 5, 3, false);
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(come(&p, i, "192.0.2.1", 9000), 0);
	cr_assert_lt(come(&p, 3, "192.0.2.1", 9000), 0);
	cr_assert_eq(come(&p, 4, "2001:db8::1", 9000), 0);
	cr_assert_eq(come(&p, 5, "192.0.2.3", 9000), 0);
	cr_assert_lt(come(&p, 6, "192.0.2.4", 9000), 0);
	cr_assert_eq(rist_peers_take_refused(&p, &why), 2);
	cr_assert_str_eq(why.text, "192.0.2.4 called and was refused: "
			 "there are too many peers");
	cr_assert_eq(rist_peers_take_refused(&p, &why), 0);
	rist_peers_on_gone(&p, peer(1));
	rist_peers_on_gone(&p, peer(99));
	cr_assert_eq(come(&p, 7, "192.0.2.1", 9000), 0);
	rist_peers_done(&p);
}

Test(rist_peers, a_port_is_of_the_host_that_is_heard_there)
{
	struct rist_peers p;
	struct errmsg why;

	rist_peers_init(&p, 9, 9, true);
	cr_assert_eq(come(&p, 0, "192.0.2.1", 9000), 0);
	cr_assert_eq(come(&p, 1, "192.0.2.2", 9000), 0, "nobody is heard");
	rist_peers_heard(&p, peer(0), mono_ms());
	cr_assert_lt(come(&p, 2, "192.0.2.3", 9000), 0);
	cr_assert_lt(come(&p, 3, "192.0.2.3", 9001), 0, "the RTCP half");
	cr_assert_eq(come(&p, 4, "192.0.2.1", 9001), 0);
	cr_assert_eq(come(&p, 5, "192.0.2.3", 9002), 0, "another port");
	cr_assert_eq(rist_peers_port(&p, peer(5)), 9002);
	cr_assert_eq(rist_peers_port(&p, peer(3)), 0, "he was sent away");
	(void)rist_peers_take_refused(&p, &why);
	cr_assert_str_eq(why.text, "192.0.2.3 called and was refused: "
			 "another one sends");
	rist_peers_heard(&p, peer(0), 1);
	cr_assert_eq(come(&p, 6, "192.0.2.3", 9000), 0, "it is silent");
	rist_peers_done(&p);
}

Test(rist_peers, are_told_when_they_answer_or_are_heard)
{
	struct rist_peers p;
	struct sockaddr_any called;
	char text[SOCKADDR_TEXT_MAX];

	cr_assert_eq(sockaddr_parse("2001:db8::2", 7000, &called), 0);
	rist_peers_init(&p, 9, 9, false);
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
	cr_assert_str_eq(text, "192.0.2.1", "its way is silent");
	rist_peers_format(&p, 0, 1, text, sizeof text);
	cr_assert_str_eq(text, "[2001:db8::2]:7000, 192.0.2.1");
	rist_peers_heard(&p, peer(1), 50);
	rist_peers_format(&p, 50, 0, text, sizeof text);
	cr_assert_str_eq(text, "192.0.2.1");
	rist_peers_format(&p, 51, 0, text, sizeof text);
	cr_assert_str_eq(text, "");
	rist_peers_find(&p, peer(2), text);
	cr_assert_str_eq(text, "?");
	rist_peers_state(&p, peer(0), false);
	rist_peers_format(&p, 0, 0, text, 8);
	cr_assert_str_eq(text, "192.0.2", "cut to its place");
	rist_peers_done(&p);
}
