/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_sources.h"

#include <criterion/criterion.h>

static char places[256];

static struct sockaddr_any from(uint16_t port)
{
	struct sockaddr_any at;

	cr_assert_eq(sockaddr_parse("192.0.2.1", port, &at), 0);
	return at;
}

static struct rist_source *add(struct rist_sources *s, uint16_t port)
{
	struct sockaddr_any at = from(port);

	return rist_sources_add(s, &at, port % 2 != 0);
}

static struct rist_source *find(struct rist_sources *s, uint16_t port)
{
	struct sockaddr_any at = from(port);

	return rist_sources_find(s, &at);
}

Test(rist_sources, keep_their_entry_while_they_have_a_peer)
{
	struct rist_sources s = { .n = 0 };
	const struct rist_peer *peer = (const struct rist_peer *)places;
	bool odd;

	for (uint16_t i = 1; i <= RIST_SOURCES_MAX; i++)
		cr_assert_not_null(add(&s, i));
	find(&s, 1)->peer = peer;
	cr_assert_not_null(add(&s, 77));
	cr_assert(find(&s, 77)->odd);
	cr_assert_not_null(find(&s, 1));
	cr_assert_null(find(&s, 2), "the first without a peer is replaced");
	cr_assert(rist_sources_remove(&s, peer, &odd));
	cr_assert(odd);
	cr_assert_null(find(&s, 1));
	cr_assert_not(rist_sources_remove(&s, peer, &odd), "no source has it");
	cr_assert_not_null(add(&s, 78));
	cr_assert_not_null(find(&s, 3));
	for (size_t i = 0; i < s.n; i++)
		s.list[i].peer = peer;
	cr_assert_null(add(&s, 79), "all of them have one");
	cr_assert_not_null(find(&s, 3));
}
