/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of SAT>IP servers. */
#include "worker/scan/server_description.h"

#include "common/base/alloc.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE "<deviceType>urn:ses-com:device:SatIPServer:1</deviceType>"
#define ROOT(text) "<?xml version=\"1.0\"?><root xmlns=\"urn:schemas-upnp-" \
	"org:device-1-0\"><specVersion/>" text "</root>"
#define DEVICE(text) ROOT("<device>" TYPE text "</device>")

static struct server_facts facts;
static struct errmsg error;

static int parse(const char *text)
{
	facts = (struct server_facts){ 0 };
	error.text[0] = '\0';
	return server_description_parse(text, strlen(text), "192.0.2.9", 8875,
					&facts, &error);
}

Test(server_description, has_the_facts_of_the_server)
{
	cr_assert_eq(parse(DEVICE(
		"<friendlyName> Roof &amp; attic\n</friendlyName>"
		"<manufacturer>Example</manufacturer>"
		"<modelName>S2-4</modelName><modelName>other</modelName>"
		"<UDN>uuid:50c958a8</UDN><iconList><icon><url>/a</url></icon>"
		"</iconList>"
		"<satip:X_SATIPCAP xmlns:satip=\"urn:ses-com:satip\">"
		"DVBS2-4,DVBT-2</satip:X_SATIPCAP>"
		"<satip:X_SATIPM3U>/list.m3u</satip:X_SATIPM3U>")), 0, "%s",
		error.text);
	cr_expect_str_eq(facts.name, "Roof & attic");
	cr_expect_str_eq(facts.manufacturer, "Example");
	cr_expect_str_eq(facts.model, "S2-4");
	cr_assert_eq(facts.n_systems, 2);
	cr_expect_str_eq(facts.systems[0].name, "S2");
	cr_expect_eq(facts.systems[0].frontends, 4);
	cr_expect_str_eq(facts.systems[1].name, "T");
	cr_expect_eq(facts.channels.port, 8875);
	cr_expect_str_eq(facts.channels.path, "/list.m3u");
}

Test(server_description, may_lack_all_but_the_type)
{
	cr_assert_eq(parse(DEVICE("")), 0, "%s", error.text);
	cr_expect_str_eq(facts.name, "");
	cr_expect_eq(facts.n_systems, 0);
	cr_expect_eq(facts.channels.port, 0);
	cr_expect_eq(parse("<!DOCTYPE root><root><device>" TYPE
			   "</device></root>"), 0, "%s", error.text);
}

Test(server_description, is_of_the_first_device_and_its_own_elements)
{
	cr_assert_eq(parse(ROOT(
		"<friendlyName>outside</friendlyName><device>" TYPE
		"<deviceList><device><deviceType>other</deviceType>"
		"<friendlyName>inner</friendlyName></device></deviceList>"
		"<friendlyName>Ro<b>!</b>of</friendlyName></device>"
		"<device><modelName>second</modelName></device>")), 0, "%s",
		error.text);
	cr_expect_str_eq(facts.name, "Ro");
	cr_expect_str_eq(facts.model, "");
}

static void expect_error(const char *text, const char *part)
{
	cr_expect_eq(parse(text), -EINVAL, "%.80s", text);
	cr_expect_not_null(strstr(error.text, part), "%.80s: %s", text,
			   error.text);
}

Test(server_description, that_is_none_is_rejected)
{
	expect_error("", "line 1: no element found");
	expect_error("hello", "line 1: ");
	expect_error("<root><device>" TYPE, "line 1: no element found");
	expect_error("<root><device>" TYPE "</root>", "mismatched tag");
	expect_error("\xff\xfe\x00", "line 1: ");
	expect_error("<root/>", "deviceType: \"\" is no SAT>IP server");
	expect_error(ROOT("<device><deviceType>urn:schemas-upnp-org:device:"
			  "MediaServer:1</deviceType></device>"),
		     "deviceType: \"urn:schemas-upnp-org:device:MediaServer:1"
		     "\" is no SAT>IP server");
}

Test(server_description, has_no_entities_of_its_own)
{
	expect_error("<!DOCTYPE root [<!ENTITY a \"x\">]><root><device>" TYPE
		     "<friendlyName>&a;</friendlyName></device></root>",
		     "line 1: DOCTYPE has declarations: they are refused");
	expect_error("<!DOCTYPE root [<!ENTITY a SYSTEM \"file:///etc/passwd\">"
		     "]><root><device>" TYPE "<friendlyName>&a;</friendlyName>"
		     "</device></root>", "DOCTYPE has declarations");
	expect_error(DEVICE("<friendlyName>&a;</friendlyName>"),
		     "undefined entity");
}

Test(server_description, may_be_deep_and_long_but_not_longer)
{
	size_t size = SERVER_DESCRIPTION_MAX + 2, n = 0;
	char *text = xcalloc(1, size);

	while (n + 3 < size - 1)
		n += (size_t)snprintf(text + n, size - n, "<a>");
	expect_error(text, "no element found");
	memset(text, 'a', size - 1);
	expect_error(text, "is longer than 65536 bytes");
	n = (size_t)snprintf(text, size, "<root><device>" TYPE
			     "<friendlyName>");
	memset(text + n, 'a', 20000);
	(void)snprintf(text + n + 20000, size - n - 20000,
		       "</friendlyName></device></root>");
	cr_expect_eq(parse(text), 0, "%s", error.text);
	cr_expect_eq(strlen(facts.name), SERVER_TEXT_MAX - 1);
	free(text);
}
