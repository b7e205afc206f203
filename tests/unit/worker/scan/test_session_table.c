/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/scan/session_table.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct session_table *table;
static uint64_t now_ns;

static void setup(void)
{
	table = session_table_new();
	now_ns = 1000 * SECOND_NS;
}

static void teardown(void)
{
	session_table_free(&table);
}

TestSuite(session_table, .init = setup, .fini = teardown);

static int feed(uint8_t flags, const char *sender, const char *iface,
		const char *text)
{
	struct sockaddr_any from;
	uint8_t packet[1024] = { flags, 0, 0, 1, 192, 0, 2, 1 };
	struct errmsg error;

	cr_assert_eq(sockaddr_parse(sender, 40000, &from), 0);
	cr_assert_leq(strlen(text), sizeof packet - 8);
	memcpy(packet + 8, text, strlen(text));
	return session_table_feed(table, &(struct session_packet){
		.iface = iface, .sender = &from, .data = packet,
		.len = 8 + strlen(text),
	}, now_ns, &error);
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

/* The next report: "0 eth0 192.0.2.1 News 1 rtp://…", "0 ended", "". */
static const char *next_report(void)
{
	static char text[1024];
	struct session_report p;

	if (!session_table_next_report(table, now_ns, &p))
		return "";
	if (p.iface[0] == '\0')
		(void)snprintf(text, sizeof text, "%u ended", p.number);
	else
		(void)snprintf(text, sizeof text, "%u %s %s %s %s%s",
			       p.number, p.iface, p.sender, p.name, p.input,
			       p.note);
	return text;
}

static void report_all(void)
{
	while (next_report()[0] != '\0')
		;
}

Test(session_table, reports_new_changed_and_ended_sessions)
{
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	cr_assert_str_eq(next_report(), "0 eth0 192.0.2.1 News 7 "
				 "rtp://eth0@239.1.1.1:5004");
	cr_assert_str_eq(next_report(), "");
	cr_assert_eq(feed(0x20, "192.0.2.1", "eth0", sdp(7, 6004)), 0);
	cr_assert_str_eq(next_report(), "0 eth0 192.0.2.1 News 7 "
				 "rtp://eth0@239.1.1.1:6004");
	cr_assert_eq(session_table_count(table), 1);
	cr_assert_eq(feed(0x24, "192.0.2.1", "eth0",
			  "o=- 7 1 IN IP4 192.0.2.1\r\n"), 0);
	cr_assert_str_eq(next_report(), "0 ended");
	cr_assert_str_eq(next_report(), "");
	cr_assert_eq(session_table_count(table), 0);
}

Test(session_table, reports_repeated_announcements_every_ten_seconds)
{
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	report_all();
	now_ns += SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	cr_assert_str_eq(next_report(), "");
	now_ns += 9 * SECOND_NS;
	cr_assert_str_neq(next_report(), "", "announced since");
	now_ns += 100 * SECOND_NS;
	cr_assert_str_eq(next_report(), "", "not announced since");
}

Test(session_table, reports_why_a_session_is_not_supported)
{
	cr_assert_eq(feed(0x20, "192.0.2.1", "eth0",
			  "v=0\no=- 7 1 IN IP4 192.0.2.1\ns=AES67\n"
			  "m=audio 5004 RTP/AVP 98\na=rtpmap:98 L24/48000\n"),
		     0);
	cr_assert_str_eq(next_report(),
			 "0 eth0 192.0.2.1 AES67 line 4: m=: L24 over "
			 "RTP/AVP is not an MPEG transport stream");
}

/* A stranger that the operator trusts with a click. */
Test(session_table, offers_groups_only)
{
	static const struct {
		const char *to;
		unsigned port;
		const char *note; /* NULL: it is offered */
	} cases[] = {
		{ "IP4 239.1.1.1/16", 5004, NULL },
		{ "IP6 ff15::1", 5004, NULL },
		{ "IP4 127.0.0.1", 5004, "leads to 127.0.0.1, which is not a "
					 "multicast group" },
		{ "IP4 0.0.0.0", 5004, "leads to 0.0.0.0, which" },
		{ "IP4 192.168.1.1", 5004, "leads to 192.168.1.1, which" },
		{ "IP6 ::1", 5004, "leads to ::1, which" },
		{ "IP4 224.0.0.251/1", 5353, "leads to 224.0.0.251, a "
					     "link-local group" },
		{ "IP6 ff02::fb", 5353, "leads to ff02::fb, a link-local" },
		{ "IP4 239.1.1.1/16", 520, "leads to port 520: ports below "
					   "1024 are reserved for the system" },
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct session_report r;
		char text[256];

		(void)snprintf(text, sizeof text, "v=0\no=- %u 1 IN IP4 "
			       "192.0.2.1\ns=x\nc=IN %s\nt=0 0\n"
			       "m=video %u RTP/AVP 33\n", i, cases[i].to,
			       cases[i].port);
		cr_assert_eq(feed(0x20, "192.0.2.1", "eth0", text), 0);
		cr_assert(session_table_next_report(table, now_ns, &r));
		cr_expect_eq(r.input[0] != '\0', cases[i].note == NULL,
			     "%s: %s", cases[i].to, r.input);
		if (cases[i].note != NULL)
			cr_expect_eq(strncmp(r.note, cases[i].note,
					     strlen(cases[i].note)), 0,
				     "%s: %s", cases[i].to, r.note);
	}
}

Test(session_table, identifies_a_session_by_sender_interface_and_origin)
{
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	cr_assert_eq(announce("192.0.2.2", 7), 0);
	cr_assert_eq(announce("192.0.2.1", 8), 0);
	cr_assert_eq(feed(0x20, "192.0.2.1", "eth1", sdp(7, 5004)), 0);
	cr_assert_eq(session_table_count(table), 4);

	/* only its sender can end a session */
	cr_assert_eq(feed(0x24, "192.0.2.3", "eth0",
			  "o=- 7 1 IN IP4 192.0.2.1\r\n"), 0);
	cr_assert_eq(feed(0x24, "192.0.2.1", "eth0", sdp(7, 5004)), 0);
	cr_assert_eq(session_table_count(table), 3);
}

Test(session_table, removes_a_session_without_announcements)
{
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	now_ns += 600 * SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", 7), 0);
	cr_assert_eq(announce("192.0.2.1", 8), 0);
	now_ns += 3600 * SECOND_NS - 1;
	session_table_expire(table, now_ns);
	cr_assert_eq(session_table_count(table), 2);
	now_ns++;
	session_table_expire(table, now_ns);
	cr_assert_eq(session_table_count(table), 1, "an hour");
	now_ns += 2400 * SECOND_NS - 1;
	session_table_expire(table, now_ns);
	cr_assert_eq(session_table_count(table), 1);
	now_ns++;
	session_table_expire(table, now_ns);
	cr_assert_eq(session_table_count(table), 0, "ten periods");
}

/* A flood with forged senders, one announcement each. */
Test(session_table, replaces_sessions_that_were_announced_once)
{
	char host[32];

	for (unsigned i = 0; i < SESSIONS_MAX; i++, now_ns++) {
		(void)snprintf(host, sizeof host, "10.0.1.%u", i);
		cr_assert_eq(announce(host, 1), 0);
	}
	/* the first announces again */
	now_ns += (SESSION_TRIAL_S - 1) * SECOND_NS;
	cr_assert_eq(announce("10.0.1.0", 1), 0);
	cr_assert_eq(announce("192.0.2.1", 1), -ENOSPC);
	report_all();
	now_ns += SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", 1), 0);
	cr_assert_str_eq(next_report(), "1 eth0 192.0.2.1 News 1 "
				 "rtp://eth0@239.1.1.1:5004");
	cr_assert_str_eq(next_report(), "");
	cr_assert_eq(session_table_count(table), SESSIONS_MAX);
}

Test(session_table, leaves_places_beside_a_flood)
{
	char host[32];

	for (unsigned i = 0; i < 10; i++)
		cr_assert_eq(announce("192.0.2.9", i), 0);
	for (unsigned i = 0; i < 10000; i++, now_ns++)
		cr_assert_eq(announce("192.0.2.1", i),
			     i < SESSIONS_MAX - 10 ? 0 : -ENOSPC);
	cr_assert_eq(session_table_count(table), SESSIONS_MAX);
	/* another sender gets a place, and the first ten keep theirs */
	cr_assert_eq(announce("192.0.2.2", 1), 0);
	cr_assert_eq(session_table_count(table), SESSIONS_MAX);
	report_all();
	for (unsigned i = 0; i < 10; i++)
		cr_assert_eq(feed(0x24, "192.0.2.9", "eth0", sdp(i, 5004)),
			     0);
	cr_assert_eq(session_table_count(table), SESSIONS_MAX - 10);

	/* one session each of many more senders: the others keep one */
	for (unsigned i = 0; i < 1000; i++) {
		(void)snprintf(host, sizeof host, "10.0.%u.%u", i / 256,
			       i % 256);
		(void)!announce(host, 1);
	}
	cr_assert_eq(session_table_count(table), SESSIONS_MAX);
	cr_assert_eq(announce("10.9.9.9", 1), -ENOSPC);
}

Test(session_table, rejects_packets_that_are_no_announcement)
{
	cr_assert_eq(feed(0x22, "192.0.2.1", "eth0", sdp(1, 1)), -ENOTSUP);
	cr_assert_eq(feed(0x20, "192.0.2.1", "eth0", "v=0\nhello"), -EINVAL);
	cr_assert_eq(feed(0x24, "192.0.2.1", "eth0", "v=0\n"), -EINVAL);
	cr_assert_eq(session_table_count(table), 0);
	cr_assert_str_eq(next_report(), "");
}
