/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/client_address.h"

#include <criterion/criterion.h>

#define ALLOW "\"allow_real_ip\":true"
#define LIST(items) "{" ALLOW ",\"real_ip_trusted\":[" items "]}"

Test(client_address, accepts_the_header_from_trusted_proxies_only)
{
	static const struct {
		const char *settings, *peer, *real, *wanted;
	} cases[] = {
		{ "{}", "192.0.2.1", "203.0.113.9", "192.0.2.1" },
		{ "{\"allow_real_ip\":false}", "192.0.2.1", "203.0.113.9",
		  "192.0.2.1" },
		{ "{\"allow_real_ip\":\"true\"}", "192.0.2.1", "203.0.113.9",
		  "192.0.2.1" },
		/* a list without a proxy trusts no address */
		{ "{\"real_ip_trusted\":[\"0.0.0.0/0\"]}", "192.0.2.1",
		  "203.0.113.9", "192.0.2.1" },
		{ "{" ALLOW "}", "192.0.2.1", "203.0.113.9", "203.0.113.9" },
		{ "{" ALLOW "}", "192.0.2.1", NULL, "192.0.2.1" },
		{ "{" ALLOW "}", "192.0.2.1", "", "192.0.2.1" },
		{ "{" ALLOW "}", "192.0.2.1", "nonsense", "192.0.2.1" },
		{ "{" ALLOW "}", "192.0.2.1", "1.2.3.4, 5.6.7.8",
		  "192.0.2.1" },
		{ "{" ALLOW "}", "192.0.2.1", "2001:DB8::7", "2001:db8::7" },
		{ "{" ALLOW "}", "192.0.2.1", "::ffff:203.0.113.9",
		  "203.0.113.9" },
		{ LIST("\"192.0.2.0/24\""), "192.0.2.1", "203.0.113.9",
		  "203.0.113.9" },
		{ LIST("\"192.0.2.0/24\""), "::ffff:192.0.2.1", "203.0.113.9",
		  "203.0.113.9" },
		{ LIST("\"192.0.2.0/24\""), "192.0.3.1", "203.0.113.9",
		  "192.0.3.1" },
		{ LIST("7,\"x\",\"::1\""), "::1", "203.0.113.9",
		  "203.0.113.9" },
		{ LIST(""), "192.0.2.1", "203.0.113.9", "192.0.2.1" },
		{ "{" ALLOW ",\"real_ip_trusted\":\"192.0.2.1\"}",
		  "192.0.2.1", "203.0.113.9", "192.0.2.1" },
		{ "{}", "?", NULL, "::" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *settings = json_loads(cases[i].settings, 0, NULL);
		char text[IP_TEXT_MAX];
		struct ip_address a;

		cr_assert_not_null(settings, "%s", cases[i].settings);
		client_address(settings, cases[i].peer, cases[i].real, &a);
		ip_format(&a, text);
		cr_expect_str_eq(text, cases[i].wanted, "%zu", i);
		json_decref(settings);
	}
}

#define TRUSTED "\"real_ip_trusted\":[\"192.0.2.0/24\"]"

Test(client_address, of_a_viewer_needs_either_key_and_a_trusted_proxy)
{
	static const struct {
		const char *document, *peer, *wanted;
	} cases[] = {
		{ "{\"settings\":{" ALLOW "," TRUSTED "}}", "192.0.2.1",
		  "203.0.113.9" },
		{ "{\"settings\":{" ALLOW "," TRUSTED "}}", "192.0.3.1",
		  "192.0.3.1" },
		{ "{\"settings\":{" ALLOW "," TRUSTED "},"
		  "\"auth\":{\"x_real_ip\":false}}", "192.0.2.1",
		  "203.0.113.9" },
		{ "{\"settings\":{" TRUSTED "},"
		  "\"auth\":{\"x_real_ip\":true}}", "192.0.2.1",
		  "203.0.113.9" },
		{ "{\"settings\":{" TRUSTED "},\"auth\":{}}", "192.0.2.1",
		  "192.0.2.1" },
		/* without the list no proxy is trusted */
		{ "{\"settings\":{" ALLOW "}}", "192.0.2.1", "192.0.2.1" },
		{ "{\"auth\":{\"x_real_ip\":true}}", "192.0.2.1",
		  "192.0.2.1" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = json_loads(cases[i].document, 0, NULL);
		char text[IP_TEXT_MAX];
		struct ip_address a;

		cr_assert_not_null(document, "%s", cases[i].document);
		viewer_address(document, cases[i].peer, "203.0.113.9", &a);
		ip_format(&a, text);
		cr_expect_str_eq(text, cases[i].wanted, "%zu", i);
		json_decref(document);
	}
}
