/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/reach.h"

#include <criterion/criterion.h>
#include <stdio.h>

static bool allows(struct reach *r, const char *text, bool at_home)
{
	struct ip_address a;

	cr_assert_eq(ip_parse(text, &a), 0);
	return reach_allows(r, &a, at_home);
}

Test(reach, a_public_source_leads_to_public_addresses_only)
{
	struct reach r = { 0 };

	cr_expect(allows(&r, "1.1.1.1", true));
	cr_expect(allows(&r, "8.8.8.8", false));
	cr_expect_not(allows(&r, "127.0.0.1", false));
	cr_expect_not(allows(&r, "169.254.169.254", false));
	/* its own name that resolves to another address now */
	cr_expect_not(allows(&r, "127.0.0.1", true));
	cr_expect_not(allows(&r, "10.0.0.1", true));
	cr_expect_not(allows(&r, "10.0.0.1", false));
	cr_expect(allows(&r, "9.9.9.9", true));
}

Test(reach, a_local_source_leads_to_itself_and_to_public_addresses)
{
	struct reach r = { 0 };

	cr_expect_not(allows(&r, "10.0.0.5", false));
	cr_expect(allows(&r, "10.0.0.5", true));
	cr_expect(allows(&r, "10.0.0.5", false));
	cr_expect_not(allows(&r, "10.0.0.6", false));
	cr_expect_not(allows(&r, "127.0.0.1", false));
	cr_expect(allows(&r, "2606:4700::1111", false));
	/* a second address of its name */
	cr_expect(allows(&r, "10.0.0.7", true));
	cr_expect(allows(&r, "10.0.0.7", false));
}

Test(reach, the_number_of_its_addresses_is_limited)
{
	struct reach r = { 0 };
	char text[32];

	for (unsigned i = 0; i < REACH_HOME_MAX; i++) {
		(void)snprintf(text, sizeof text, "10.0.1.%u", i);
		cr_expect(allows(&r, text, true));
	}
	cr_expect_not(allows(&r, "10.0.2.1", true));
}
