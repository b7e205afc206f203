/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/cas_procs.h"

#include <criterion/criterion.h>

enum { WORKER = 5, START_MS = 100000 };

/* A stream that reports no link, as often as a master may call. */
Test(cas_links, a_place_gets_a_link_every_three_seconds_at_most)
{
	struct cas_links links = { 0 };
	unsigned made = 0;

	cr_assert_not(cas_links_lack(&links, 1, 0, START_MS));
	for (uint64_t ms = START_MS; ms < START_MS + 30000; ms += 100) {
		cas_links_report(&links, 0);
		if (!cas_links_lack(&links, 1, WORKER, ms))
			continue;
		cas_links_made(&links, 1, WORKER, ms);
		made++;
	}
	cr_assert_eq(made, 10);
}

Test(cas_links, a_link_that_is_reported_stays)
{
	struct cas_links links = { 0 };

	cas_links_made(&links, 1, WORKER, START_MS);
	for (unsigned i = 0; i < 10; i++)
		cas_links_report(&links, 1u << 1);
	cr_assert_not(cas_links_lack(&links, 1, WORKER, START_MS + 60000));
	cr_assert(cas_links_lack(&links, 1, WORKER + 1, START_MS + 60000));
	cr_assert(cas_links_lack(&links, 0, WORKER, START_MS));
}
