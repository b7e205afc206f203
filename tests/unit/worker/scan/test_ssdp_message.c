/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of SSDP, and the URLs in them. */
#include "worker/scan/ssdp_message.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HOST "192.0.2.9"
#define TYPE "urn:ses-com:device:SatIPServer:1"
#define USN "USN: uuid:50c958a8-e839::" TYPE "\r\n"
#define WHERE "LOCATION: http://" HOST ":8875/desc.xml\r\n"
#define REPLY "HTTP/1.1 200 OK\r\n"
#define NOTIFY "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n"

static struct ssdp_message m;
static struct errmsg error;

static int decode(const char *text)
{
	error.text[0] = '\0';
	return ssdp_decode(text, strlen(text), HOST, &m, &error);
}

static void expect_server(const char *text)
{
	cr_expect_eq(decode(text), 0, "%s: %s", text, error.text);
	cr_expect_eq(m.kind, SSDP_ALIVE, "%s", text);
	cr_expect_str_eq(m.uuid, "50c958a8-e839", "%s", text);
	cr_expect_eq(m.location.port, 8875, "%s", text);
	cr_expect_str_eq(m.location.path, "/desc.xml", "%s", text);
}

Test(ssdp_message, is_of_a_server)
{
	expect_server(REPLY "CACHE-CONTROL: max-age=1800\r\nEXT:\r\n" WHERE
		      "ST: " TYPE "\r\n" USN "DEVICEID.SES.COM: 1\r\n\r\n");
	expect_server(NOTIFY WHERE "NT: " TYPE "\r\nNTS: ssdp:alive\r\n" USN
		      "\r\n");
	expect_server(NOTIFY WHERE "NT: " TYPE "\r\nNTS: ssdp:update\r\n" USN
		      "\r\n");
	/* of another version, with LF alone, names in small letters, a second
	 * value and no empty line */
	expect_server("HTTP/1.0 200 Yes\nst:urn:ses-com:device:SatIPServer:2\n"
		      "usn:uuid:50c958a8-e839\n"
		      "location:http://" HOST ":8875/desc.xml\n"
		      "location:http://192.0.2.1/other\n");
}

Test(ssdp_message, lives_as_long_as_it_says_within_limits)
{
	static const struct {
		const char *cache;
		unsigned s;
	} cases[] = {
		{ "max-age=1800", 1800 }, { "max-age = 100", 100 },
		{ "no-cache, Max-Age=300", 300 }, { "max-age=1", 60 },
		{ "max-age=4294967296", SSDP_LIFE_S },
		{ "max-age=999999", SSDP_LIFE_MAX_S }, { "max-age=", 1800 },
		{ "max-age=-1", 1800 }, { "no-cache", 1800 },
	};
	char text[512];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		(void)snprintf(text, sizeof text, REPLY "ST: " TYPE "\r\n" USN
			       WHERE "CACHE-CONTROL: %s\r\n\r\n",
			       cases[i].cache);
		expect_server(text);
		cr_expect_eq(m.life_s, cases[i].s, "%s: %u", cases[i].cache,
			     m.life_s);
	}
}

Test(ssdp_message, ends_without_a_location)
{
	cr_expect_eq(decode(NOTIFY "NT: " TYPE "\r\nNTS: ssdp:byebye\r\n" USN
			    "\r\n"), 0);
	cr_expect_eq(m.kind, SSDP_BYEBYE);
	cr_expect_str_eq(m.uuid, "50c958a8-e839");
}

Test(ssdp_message, of_others_is_ignored)
{
	static const char *const texts[] = {
		"", "\r\n", "\n\n\n", "hello", "HTTP/1.1 404 no\r\n\r\n",
		REPLY, REPLY "\r\n",
		"M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: " TYPE
		"\r\n\r\n",
		REPLY "ST: upnp:rootdevice\r\n" USN WHERE "\r\n",
		NOTIFY "NT: urn:schemas-upnp-org:device:MediaServer:1\r\n"
		"NTS: ssdp:alive\r\n" USN WHERE "\r\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cr_expect_eq(decode(texts[i]), 0, "%s", texts[i]);
		cr_expect_eq(m.kind, SSDP_OTHER, "%s", texts[i]);
	}
	cr_expect_eq(ssdp_decode(ssdp_groups[0].search,
				 strlen(ssdp_groups[0].search), HOST, &m,
				 &error), 0);
	cr_expect_eq(m.kind, SSDP_OTHER, "a search of our own");
}

static void expect_error(const char *text, const char *part)
{
	cr_expect_eq(decode(text), -EBADMSG, "%s", text);
	cr_expect_not_null(strstr(error.text, part), "%s", error.text);
	cr_expect_eq(m.kind, SSDP_OTHER);
}

Test(ssdp_message, that_is_wrong_is_rejected_by_field)
{
	char text[512];

	expect_error(REPLY "ST: " TYPE "\r\n" WHERE "\r\n", "USN: ");
	expect_error(REPLY "ST: " TYPE "\r\n" WHERE "USN: uuid:\r\n", "USN: ");
	expect_error(REPLY "ST: " TYPE "\r\n" WHERE "USN: uuid:a\x01" "b\r\n",
		     "USN: ");
	(void)snprintf(text, sizeof text, REPLY "ST: " TYPE "\r\n" WHERE
		       "USN: uuid:%064d\r\n\r\n", 0);
	expect_error(text, "USN: has no uuid of at most 63 bytes");
	expect_error(REPLY "ST: " TYPE "\r\n" USN "\r\n",
		     "LOCATION: is not an http URL");
	expect_error(NOTIFY "NT: " TYPE "\r\n" USN WHERE "\r\n", "NTS: ");
	expect_error(NOTIFY "NT: " TYPE "\r\nNTS: ssdp:discover\r\n" USN WHERE
		     "\r\n", "NTS: ");
}

static const char *parse_of(const char *host, const char *text)
{
	static char result[SERVER_URL_MAX];
	struct server_url url;

	if (server_url_parse((struct slice){ text, strlen(text) }, host, &url,
			     &error) < 0)
		return error.text;
	server_url_format(&url, host, result);
	return result;
}

static const char *parse(const char *text)
{
	return parse_of(HOST, text);
}

#define SIX "[2001:db8::9]"

Test(server_url, has_an_address_of_ipv6_in_brackets)
{
	static const struct {
		const char *text, *result;
	} cases[] = {
		{ "http://" SIX, "http://" SIX ":80/" },
		{ "http://" SIX ":8875/a", "http://" SIX ":8875/a" },
		{ "http://[2001:DB8:0::9]/a", "http://" SIX ":80/a" },
		{ "http://[2001:db8::8]/", "leads to another host than " SIX },
		{ "http://2001:db8::9/", "leads to another host than " SIX },
		{ "http://[2001:db8::9/", "leads to another host than " SIX },
		{ "http://[2001:db8::9%25lo]/",
		  "leads to another host than " SIX },
		{ "http://" SIX ".evil/", "leads to another host than " SIX },
		{ "http://" SIX "@evil/", "leads to another host than " SIX },
		{ "http://a@" SIX "/", "leads to another host than " SIX },
		{ "http://[]/", "leads to another host than " SIX },
		{ "http://" SIX ":/", "has a port that is not a number" },
		{ "http://" SIX ":80@evil/",
		  "has a port that is not a number" },
	};
	char host[SERVER_HOST_MAX];
	struct sockaddr_any a;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		cr_expect_str_eq(parse_of(SIX, cases[i].text),
				 cases[i].result, "%s: %s", cases[i].text,
				 parse_of(SIX, cases[i].text));
	cr_assert_eq(sockaddr_parse("2001:db8::9", 1900, &a), 0);
	server_url_host(&a, host);
	cr_expect_str_eq(host, SIX);
	cr_assert_eq(sockaddr_parse(HOST, 1900, &a), 0);
	server_url_host(&a, host);
	cr_expect_str_eq(host, HOST);
}

Test(server_url, is_of_the_server_alone)
{
	static const struct {
		const char *text, *result;
	} cases[] = {
		{ "http://" HOST, "http://" HOST ":80/" },
		{ "HTTP://" HOST "/a?b=c", "http://" HOST ":80/a?b=c" },
		{ "http://" HOST ":8875?a", "http://" HOST ":8875/?a" },
		{ "http://" HOST ":80/a#b", "http://" HOST ":80/a" },
		{ "http://" HOST "/@evil", "http://" HOST ":80/@evil" },
		{ "https://" HOST "/", "is not an http URL" },
		{ "file:///etc/passwd", "is not an http URL" },
		{ "//" HOST "/", "is not an http URL" },
		{ "", "is not an http URL" },
		{ "http://", "leads to another host than " HOST },
		{ "http://192.0.2.1/", "leads to another host than " HOST },
		{ "http://localhost/", "leads to another host than " HOST },
		{ "http://" HOST ".evil/", "leads to another host than " HOST },
		{ "http://" HOST "@evil/", "leads to another host than " HOST },
		{ "http://a@" HOST "/", "leads to another host than " HOST },
		{ "http://192.0.2.009/", "leads to another host than " HOST },
		{ "http://3221225993/", "leads to another host than " HOST },
		{ "http://[::1]/", "leads to another host than " HOST },
		{ "http://" HOST "\\@evil/",
		  "leads to another host than " HOST },
		{ "http://" HOST ":a/", "has a port that is not a number" },
		{ "http://" HOST ":/", "has a port that is not a number" },
		{ "http://" HOST ":80@evil/",
		  "has a port that is not a number" },
		{ "http://" HOST ":65536/", "has a port that is not a number" },
		{ "http://" HOST ":22/", "leads to port 22: only 80 and those "
		  "from 1024 on are allowed" },
		{ "http://" HOST ":0/", "leads to port 0: only 80 and those "
		  "from 1024 on are allowed" },
		{ "http://" HOST "/a b", "has a path that is longer than 255 "
		  "bytes or no plain text" },
		{ "http://" HOST "/a\rb", "has a path that is longer than 255 "
		  "bytes or no plain text" },
		{ "http://" HOST "/\xc3\xa4", "has a path that is longer than "
		  "255 bytes or no plain text" },
	};
	char text[512];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		cr_expect_str_eq(parse(cases[i].text), cases[i].result, "%s",
				 cases[i].text);
	(void)snprintf(text, sizeof text, "http://" HOST "/%0254d", 0);
	cr_expect_eq(strlen(parse(text)), strlen("http://" HOST ":80") + 255);
	(void)snprintf(text, sizeof text, "http://" HOST "/%0255d", 0);
	cr_expect_str_eq(parse(text), "has a path that is longer than 255 "
				      "bytes or no plain text");
}
