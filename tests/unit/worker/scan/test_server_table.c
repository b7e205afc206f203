/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/scan/server_table.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TYPE "urn:ses-com:device:SatIPServer:1"

static struct server_table *table;
static uint64_t now_ns;
static struct errmsg error;
static bool near; /* are the senders in a network of the interface? */

static void setup(void)
{
	table = server_table_new();
	now_ns = 1000 * SECOND_NS;
	near = true;
}

static void teardown(void)
{
	server_table_free(&table);
}

TestSuite(server_table, .init = setup, .fini = teardown);

static int feed(const char *iface, const char *host, const char *text)
{
	struct sockaddr_any from;

	cr_assert_eq(sockaddr_parse(host, 1900, &from), 0);
	return server_table_feed(table, &(struct server_packet){
		.iface = iface, .sender = &from, .is_near = near,
		.data = text, .len = strlen(text),
	}, now_ns, &error);
}

static int announce_at(const char *iface, const char *host, const char *uuid,
		       const char *path)
{
	char text[512];

	(void)snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nST: " TYPE "\r\n"
		       "USN: uuid:%s::" TYPE "\r\nCACHE-CONTROL: max-age=120"
		       "\r\nLOCATION: http://%s:8875/%s\r\n\r\n", uuid, host,
		       path);
	return feed(iface, host, text);
}

static int announce(const char *host, const char *uuid)
{
	return announce_at("eth0", host, uuid, "d");
}

static int leave(const char *iface, const char *host, const char *uuid)
{
	char text[512];

	(void)snprintf(text, sizeof text, "NOTIFY * HTTP/1.1\r\nNT: " TYPE
		       "\r\nNTS: ssdp:byebye\r\nUSN: uuid:%s::" TYPE "\r\n\r\n",
		       uuid);
	return feed(iface, host, text);
}

/* The next load, "host:port/path", with its ticket; "": none. */
static const char *next_load(uint32_t *ticket)
{
	static char text[SERVER_URL_MAX];
	struct server_load load;

	if (!server_table_next_load(table, &load))
		return "";
	*ticket = load.ticket;
	server_url_format(&load.url, load.host, text);
	return text;
}

static void load(bool succeeds)
{
	struct server_facts facts = { .name = "Roof", .n_systems = 1 };
	uint32_t ticket = 0;

	cr_assert_str_neq(next_load(&ticket), "");
	server_table_loaded(table, ticket, succeeds ? &facts : NULL, "refused",
			    now_ns);
}

/* The next report: "0 eth0 192.0.2.1 a Roof refused", "0 ended", "". */
static const char *next_report(void)
{
	static char text[512];
	struct server_report r;

	if (!server_table_next_report(table, now_ns, &r))
		return "";
	if (r.iface[0] == '\0')
		(void)snprintf(text, sizeof text, "%u ended", r.number);
	else
		(void)snprintf(text, sizeof text, "%u %s %s %s %s%s",
			       r.number, r.iface, r.host, r.uuid,
			       r.facts->name, r.note);
	return text;
}

Test(server_table, reports_a_server_with_its_description)
{
	uint32_t ticket = 0;

	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	cr_expect_str_eq(next_report(), "", "not before its description");
	cr_expect_str_eq(next_load(&ticket), "http://192.0.2.1:8875/d");
	cr_expect_str_eq(next_load(&ticket), "", "once");
	server_table_loaded(table, ticket + 1, NULL, "of another", now_ns);
	cr_expect_str_eq(next_report(), "");
	server_table_loaded(table, ticket,
			    &(struct server_facts){ .name = "Roof" }, "",
			    now_ns);
	cr_expect_str_eq(next_report(), "0 eth0 192.0.2.1 a Roof");
	cr_expect_str_eq(next_report(), "");
	now_ns += SERVER_REPORT_S * SECOND_NS;
	cr_expect_str_eq(next_report(), "", "without an announcement");
	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	cr_expect_str_eq(next_report(), "0 eth0 192.0.2.1 a Roof");
}

Test(server_table, has_servers_with_addresses_of_ipv6)
{
	uint32_t ticket = 0;

	cr_assert_eq(feed("eth0", "2001:db8::1", "HTTP/1.1 200 OK\r\nST: "
			  TYPE "\r\nUSN: uuid:a::" TYPE "\r\nLOCATION: "
			  "http://[2001:db8:0:0::1]:8875/d\r\n\r\n"), 0,
		     "%s", error.text);
	cr_assert_str_eq(next_load(&ticket), "http://[2001:db8::1]:8875/d");
	server_table_loaded(table, ticket, NULL, "refused", now_ns);
	cr_assert_str_eq(next_report(), "0 eth0 [2001:db8::1] a refused");
}

Test(server_table, loads_a_description_again_after_some_time)
{
	uint32_t ticket = 0;

	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	load(false);
	cr_expect_str_eq(next_report(), "0 eth0 192.0.2.1 a refused");
	now_ns += (SERVER_RETRY_S - 1) * SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	cr_expect_str_eq(next_load(&ticket), "");
	now_ns += SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	load(true);
	cr_expect_str_eq(next_report(), "0 eth0 192.0.2.1 a Roof");

	now_ns += (SERVER_FRESH_S - 1) * SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	cr_expect_str_eq(next_load(&ticket), "");
	cr_assert_eq(announce_at("eth0", "192.0.2.1", "a", "e"), 0);
	cr_expect_str_eq(next_load(&ticket), "http://192.0.2.1:8875/e",
			 "another location");
	server_table_loaded(table, ticket, NULL, "refused", now_ns);
	cr_expect_str_eq(next_report(), "0 eth0 192.0.2.1 a Roofrefused",
			 "what was known stays");
	now_ns += SERVER_FRESH_S * SECOND_NS;
	cr_assert_eq(announce_at("eth0", "192.0.2.1", "a", "e"), 0);
	load(true);
}

Test(server_table, ends_by_byebye_of_its_host_alone)
{
	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	cr_assert_eq(announce_at("eth1", "192.0.2.1", "a", "d"), 0);
	cr_assert_eq(announce("192.0.2.2", "a"), 0);
	for (int i = 0; i < 3; i++) {
		load(true);
		cr_expect_str_neq(next_report(), "");
	}
	cr_expect_eq(server_table_count(table), 3, "one uuid, three servers");
	cr_assert_eq(leave("eth0", "192.0.2.3", "a"), 0);
	cr_assert_eq(leave("eth0", "192.0.2.1", "b"), 0);
	cr_expect_str_eq(next_report(), "");
	cr_assert_eq(leave("eth0", "192.0.2.1", "a"), 0);
	cr_expect_str_eq(next_report(), "0 ended");
	cr_expect_eq(server_table_count(table), 2);
	/* its place has another one before the end is reported */
	cr_assert_eq(leave("eth1", "192.0.2.1", "a"), 0);
	cr_assert_eq(announce("192.0.2.4", "b"), 0);
	cr_assert_eq(announce("192.0.2.4", "c"), 0);
	load(true);
	load(true);
	cr_expect_str_eq(next_report(), "0 eth0 192.0.2.4 b Roof");
	cr_expect_str_eq(next_report(), "1 ended");
	cr_expect_str_eq(next_report(), "1 eth0 192.0.2.4 c Roof");
}

Test(server_table, takes_no_message_from_another_network)
{
	uint32_t ticket = 0;

	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	load(true);
	cr_expect_str_eq(next_report(), "0 eth0 192.0.2.1 a Roof");
	near = false;
	cr_expect_eq(announce("198.51.100.1", "b"), -EINVAL);
	cr_expect_str_eq(error.text, "the address of the sender is in no "
				     "network of the interface");
	cr_expect_eq(announce_at("eth0", "192.0.2.1", "a", "e"), -EINVAL);
	cr_expect_str_eq(next_load(&ticket), "");
	cr_expect_eq(leave("eth0", "192.0.2.1", "a"), -EINVAL);
	cr_expect_str_eq(next_report(), "");
	cr_expect_eq(server_table_count(table), 1);
	cr_expect_eq(feed("eth0", "198.51.100.1", "NOTIFY * HTTP/1.1\r\nNT: "
			  "upnp:rootdevice\r\nNTS: ssdp:alive\r\n\r\n"), 0,
		     "another kind of device is ignored");
}

Test(server_table, reports_an_end_before_the_next_server_came_and_left)
{
	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	load(true);
	cr_expect_str_eq(next_report(), "0 eth0 192.0.2.1 a Roof");
	cr_assert_eq(leave("eth0", "192.0.2.1", "a"), 0);
	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	cr_assert_eq(leave("eth0", "192.0.2.1", "a"), 0);
	cr_expect_str_eq(next_report(), "0 ended");
	cr_expect_str_eq(next_report(), "");
}

Test(server_table, ends_when_the_announcement_is_out_of_date)
{
	uint32_t ticket = 0;

	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	load(true);
	cr_expect_str_neq(next_report(), "");
	now_ns += 119 * SECOND_NS;
	server_table_expire(table, now_ns);
	cr_expect_eq(server_table_count(table), 1);
	now_ns += SECOND_NS;
	server_table_expire(table, now_ns);
	cr_expect_eq(server_table_count(table), 0);
	cr_expect_str_eq(next_report(), "0 ended");

	/* while its description is loaded, and without a report */
	cr_assert_eq(announce("192.0.2.1", "a"), 0);
	cr_expect_str_neq(next_load(&ticket), "");
	cr_assert_eq(leave("eth0", "192.0.2.1", "a"), 0);
	server_table_loaded(table, ticket, NULL, "late", now_ns);
	cr_expect_str_eq(next_report(), "");
}

Test(server_table, has_few_places_for_one_host)
{
	char uuid[16];

	for (unsigned i = 0; i < 100; i++) {
		(void)snprintf(uuid, sizeof uuid, "u%u", i);
		cr_expect_eq(announce("192.0.2.1", uuid),
			     i < SERVERS_OF_HOST_MAX ? 0 : -ENOSPC);
	}
	cr_expect_str_eq(error.text, "table full: more than 64 servers, or 4 "
				     "at one address");
	cr_expect_eq(server_table_count(table), SERVERS_OF_HOST_MAX);
	cr_expect_eq(announce("192.0.2.2", "u9"), 0);
	/* one of its own that has no description gives place */
	load(false);
	cr_expect_eq(announce("192.0.2.1", "new"), 0);
	cr_expect_eq(server_table_count(table), SERVERS_OF_HOST_MAX + 1);
}

Test(server_table, replaces_hosts_without_a_description)
{
	char host[16];

	for (unsigned i = 0; i < SERVERS_MAX; i++) {
		(void)snprintf(host, sizeof host, "192.0.2.%u", i);
		cr_expect_eq(announce(host, "a"), 0);
		now_ns += MS;
	}
	cr_expect_eq(announce("192.0.3.1", "a"), -ENOSPC);
	load(true);  /* 192.0.2.0 */
	load(false); /* 192.0.2.1 */
	load(false);
	for (int i = 0; i < 3; i++)
		cr_expect_str_neq(next_report(), "");
	cr_expect_eq(announce("192.0.3.1", "a"), 0);
	cr_expect_str_eq(next_report(), "1 ended");
	cr_expect_eq(announce("192.0.3.2", "a"), 0);
	cr_expect_str_eq(next_report(), "2 ended");
	cr_expect_eq(announce("192.0.3.3", "a"), -ENOSPC);
	cr_expect_eq(server_table_count(table), SERVERS_MAX);
}

Test(server_table, loads_in_turn_beside_hosts_that_fail)
{
	char host[16];

	cr_assert_eq(announce("192.0.2.1", "described"), 0);
	load(true);
	for (unsigned i = 1; i < SERVERS_MAX; i++) {
		(void)snprintf(host, sizeof host, "198.51.100.%u", i);
		cr_assert_eq(announce(host, "a"), 0);
	}
	now_ns += SERVER_FRESH_S * SECOND_NS;
	cr_assert_eq(announce("192.0.2.1", "described"), 0);
	for (unsigned i = 1; i <= SERVERS_MAX; i++) {
		bool last = i == SERVERS_MAX;
		char url[SERVER_URL_MAX];
		uint32_t ticket = 0;

		(void)snprintf(host, sizeof host, "198.51.100.%u", i);
		(void)snprintf(url, sizeof url, "http://%s:8875/d",
			       last ? "192.0.2.1" : host);
		cr_expect_str_eq(next_load(&ticket), url);
		server_table_loaded(table, ticket, NULL, "refused", now_ns);
		/* another one takes its place */
		(void)snprintf(host, sizeof host, "203.0.113.%u", i);
		cr_expect_eq(announce(host, "a"), last ? -ENOSPC : 0);
	}
}

Test(server_facts, have_the_frontends_of_each_system)
{
	static const struct {
		const char *text, *result;
	} cases[] = {
		{ "DVBS2-4,DVBT2-2", "S2=4 T2=2 " },
		{ " dvbc-1 , DVBC2-2,DVBS-1,DVBT-3,ATSC-1,ISDBT-1,DVBCB-1",
		  "C=1 DVBC2=2 S=1 T=3 ATSC=1 ISDB-T=1 C/B=1 " },
		{ "DVBS2-0,DVBT-0", "" },
		{ "DVBS2-2,DVBS2-2", "S2=4 " },
		{ "DVBS2-255,DVBS2-255", "S2=255 " },
		{ "DVBS2,DVBS2-,DVBS2-x,DVBS2-256,-4,,DV\"BS-1,DVB S-1,"
		  "DVBS2DVBS2DVBS2X-1,DVBT-1", "T=1 " },
		{ "A-1,B-1,C-1,D-1,E-1,F-1,G-1,H-1,I-1,A-1",
		  "A=2 B=1 C=1 D=1 E=1 F=1 G=1 H=1 " },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct server_facts f = { .n_systems = 3 };
		char text[256] = "";

		server_facts_capabilities(&f, cases[i].text);
		for (size_t k = 0; k < f.n_systems; k++)
			(void)snprintf(text + strlen(text),
				       sizeof text - strlen(text), "%s=%u ",
				       f.systems[k].name,
				       f.systems[k].frontends);
		cr_expect_str_eq(text, cases[i].result, "%s: %s",
				 cases[i].text, text);
	}
}

Test(server_facts, have_a_list_of_channels_of_the_server_alone)
{
	static const struct {
		const char *text, *path;
		unsigned port;
	} cases[] = {
		{ "/a.m3u", "/a.m3u", 8875 },
		{ "http://192.0.2.1:1080/a.m3u", "/a.m3u", 1080 },
		{ "http://192.0.2.1/a.m3u", "/a.m3u", 80 },
		{ "http://192.0.2.2/a.m3u", "", 0 },
		{ "//192.0.2.2/a.m3u", "", 0 },
		{ "a.m3u", "", 0 }, { "", "", 0 }, { "/a b", "", 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct server_facts f = { 0 };

		server_facts_channels(&f, cases[i].text, "192.0.2.1", 8875);
		cr_expect_eq(f.channels.port, cases[i].port, "%s",
			     cases[i].text);
		cr_expect_str_eq(f.channels.path, cases[i].path, "%s",
				 cases[i].text);
	}
}

Test(server_facts, have_texts_that_are_safe_to_show)
{
	char to[SERVER_TEXT_MAX], from[300] = "";

	server_text_copy(" \n Roof\x1b[2J\xe2\x80\xae\xff ", to);
	cr_expect_str_eq(to, "Roof [2J \xef\xbf\xbd");
	for (int i = 0; i < 90; i++)
		strcat(from, "\xe2\x82\xac");
	server_text_copy(from, to);
	cr_expect_eq(strlen(to), 126, "42 characters");
}
