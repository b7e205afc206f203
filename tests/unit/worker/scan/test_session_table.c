/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/scan/session_table.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct announced *table;
static uint64_t now_ns;

static void setup(void)
{
	table = announced_new();
	now_ns = 1000 * SECOND_NS;
}

static void teardown(void)
{
	announced_free(&table);
}

TestSuite(announced, .init = setup, .fini = teardown);

static int feed(uint8_t flags, const char *sender, const char *iface,
		const char *text)
{
	struct sockaddr_any from;
	uint8_t packet[1024] = { flags, 0, 0, 1, 192, 0, 2, 1 };
	struct errmsg why;

	cr_assert_eq(sockaddr_parse(sender, 40000, &from), 0);
	cr_assert_leq(strlen(text), sizeof packet - 8);
	memcpy(packet + 8, text, strlen(text));
	return announced_feed(table, &(struct announced_packet){
		.iface = iface, .sender = &from, .data = packet,
		.len = 8 + strlen(text),
	}, now_ns, &why);
}

static const char *sdp(unsigned id, unsigned port)
{
	static char text[512];

	(void)snprintf(text, sizeof text, "v=0\no=- %u 1 IN IP4 192.0.2.1\n"
		       "s=News %u\nc=IN IP4 239.1.1.1/16\nt=0 0\n"
		       "m=video %u RTP/AVP 33\n", id, id, port);
	return text;
}

static int announce(const char *sender, unsigned id)
{
	return feed(0x20, sender, "eth0", sdp(id, 5004));
}

/* What is told next: "0 eth0 192.0.2.1 News 1 rtp://…", "0 over", "". */
static const char *told(void)
{
	static char text[1024];
	struct announced_place p;

	if (!announced_next(table, now_ns, &p))
		return "";
	if (p.iface[0] == '\0')
		(void)snprintf(text, sizeof text, "%u over", p.number);
	else
		(void)snprintf(text, sizeof text, "%u %s %s %s %s%s",
			       p.number, p.iface, p.sender, p.name, p.input,
			       p.note);
	return text;
}

static void tell_all(void)
{
	while (told()[0] != '\0')
		;
}

Test(announced, is_told_when_it_comes_changes_and_goes)
{
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	cr_assert_str_eq(told(), "0 eth0 192.0.2.1 News 7 "
				 "rtp://eth0@239.1.1.1:5004");
	cr_assert_str_eq(told(), "");
	cr_assert_eq(feed(0x20, "192.0.2.1", "eth0", sdp(7, 6004)), 0);
	cr_assert_str_eq(told(), "0 eth0 192.0.2.1 News 7 "
				 "rtp://eth0@239.1.1.1:6004");
	cr_assert_eq(announced_count(table), 1);
	cr_assert_eq(feed(0x24, "192.0.2.1", "eth0",
			  "o=- 7 1 IN IP4 192.0.2.1\r\n"), 0);
	cr_assert_str_eq(told(), "0 over");
	cr_assert_str_eq(told(), "");
	cr_assert_eq(announced_count(table), 0);
}

Test(announced, is_told_now_and_then_while_it_is_heard)
{
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	tell_all();
	now_ns += SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	cr_assert_str_eq(told(), "");
	now_ns += 9 * SECOND_NS;
	cr_assert_str_neq(told(), "", "it was heard since");
	now_ns += 100 * SECOND_NS;
	cr_assert_str_eq(told(), "", "it was not");
}

Test(announced, may_be_nothing_that_can_be_played)
{
	cr_assert_eq(feed(0x20, "192.0.2.1", "eth0",
			  "v=0\no=- 7 1 IN IP4 192.0.2.1\ns=AES67\n"
			  "m=audio 5004 RTP/AVP 98\na=rtpmap:98 L24/48000\n"),
		     0);
	cr_assert_str_eq(told(), "0 eth0 192.0.2.1 AES67 line 4: m=: L24 over "
				 "RTP/AVP is not an MPEG transport "
				 "stream");
}

Test(announced, is_known_by_sender_interface_and_origin)
{
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	cr_assert_eq(announce("192.0.2.2", 7), 0);
	cr_assert_eq(announce("192.0.2.1", 8), 0);
	cr_assert_eq(feed(0x20, "192.0.2.1", "eth1", sdp(7, 5004)), 0);
	cr_assert_eq(announced_count(table), 4);

	/* nobody ends what another one announced */
	cr_assert_eq(feed(0x24, "192.0.2.3", "eth0",
			  "o=- 7 1 IN IP4 192.0.2.1\r\n"), 0);
	cr_assert_eq(feed(0x24, "192.0.2.1", "eth0", sdp(7, 5004)), 0);
	cr_assert_eq(announced_count(table), 3);
}

Test(announced, is_over_when_it_is_not_heard_any_more)
{
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	now_ns += 600 * SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	cr_assert_eq(announce("192.0.2.1", 8), 0);
	now_ns += 3600 * SECOND_NS - 1;
	announced_age(table, now_ns);
	cr_assert_eq(announced_count(table), 2);
	now_ns++;
	announced_age(table, now_ns);
	cr_assert_eq(announced_count(table), 1, "an hour");
	now_ns += 2400 * SECOND_NS - 1;
	announced_age(table, now_ns);
	cr_assert_eq(announced_count(table), 1);
	now_ns++;
	announced_age(table, now_ns);
	cr_assert_eq(announced_count(table), 0, "ten pauses");
}

/* One announcement each of more senders than there are places, as somebody
 * writes them who takes any address for his. */
Test(announced, gives_the_places_of_who_came_once_to_others)
{
	char host[32];

	for (unsigned i = 0; i < ANNOUNCED_MAX; i++, now_ns++) {
		(void)snprintf(host, sizeof host, "10.0.1.%u", i);
		cr_assert_eq(announce(host, 1), 0);
	}
	/* the first is heard again */
	now_ns += (ANNOUNCED_TRIAL_S - 1) * SECOND_NS;
	cr_assert_eq(announce("10.0.1.0", 1), 0);
	cr_assert_eq(announce("192.0.2.1", 1), -ENOSPC);
	tell_all();
	now_ns += SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", 1), 0);
	cr_assert_str_eq(told(), "1 eth0 192.0.2.1 News 1 "
				 "rtp://eth0@239.1.1.1:5004");
	cr_assert_str_eq(told(), "");
	cr_assert_eq(announced_count(table), ANNOUNCED_MAX);
}

Test(announced, leaves_places_for_others_than_a_flood)
{
	char host[32];

	for (unsigned i = 0; i < 10; i++)
		cr_assert_eq(announce("192.0.2.9", i), 0);
	for (unsigned i = 0; i < 10000; i++, now_ns++)
		cr_assert_eq(announce("192.0.2.1", i),
			     i < ANNOUNCED_MAX - 10 ? 0 : -ENOSPC);
	cr_assert_eq(announced_count(table), ANNOUNCED_MAX);
	/* another sender finds a place, and who was there kept his */
	cr_assert_eq(announce("192.0.2.2", 1), 0);
	cr_assert_eq(announced_count(table), ANNOUNCED_MAX);
	tell_all();
	for (unsigned i = 0; i < 10; i++)
		cr_assert_eq(feed(0x24, "192.0.2.9", "eth0", sdp(i, 5004)),
			     0);
	cr_assert_eq(announced_count(table), ANNOUNCED_MAX - 10);

	/* one each of ever more senders: the others keep one */
	for (unsigned i = 0; i < 1000; i++) {
		(void)snprintf(host, sizeof host, "10.0.%u.%u", i / 256,
			       i % 256);
		(void)!announce(host, 1);
	}
	cr_assert_eq(announced_count(table), ANNOUNCED_MAX);
	cr_assert_eq(announce("10.9.9.9", 1), -ENOSPC);
}

Test(announced, refuses_what_is_no_announcement)
{
	cr_assert_eq(feed(0x22, "192.0.2.1", "eth0", sdp(1, 1)), -ENOTSUP);
	cr_assert_eq(feed(0x20, "192.0.2.1", "eth0", "v=0\nhello"), -EINVAL);
	cr_assert_eq(feed(0x24, "192.0.2.1", "eth0", "v=0\n"), -EINVAL);
	cr_assert_eq(announced_count(table), 0);
	cr_assert_str_eq(told(), "");
}
