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

	for (uint16_t i = 1; i <= RIST_SOURCES_MAX; i++)
		cr_assert_not_null(add(&s, i));
	cr_assert_null(add(&s, 77), "the list is full");
	find(&s, 1)->peer = peer;
	cr_assert_eq(rist_sources_expire(&s, 0), RIST_SOURCE_EVEN);
	cr_assert_eq(rist_sources_expire(&s, 0), 0u);
	cr_assert_not_null(add(&s, 77));
	cr_assert(find(&s, 77)->odd);
	cr_assert_not_null(find(&s, 1));
	cr_assert_null(find(&s, 2), "the first without a peer is replaced");
	cr_assert_eq(rist_sources_remove(&s, peer), RIST_SOURCE_ODD);
	cr_assert_null(find(&s, 1));
	cr_assert_eq(rist_sources_remove(&s, peer), 0u, "no source has it");
	cr_assert_not_null(add(&s, 78));
	cr_assert_not_null(find(&s, 3));
	for (size_t i = 0; i < s.n; i++)
		s.list[i].peer = peer;
	cr_assert_eq(rist_sources_expire(&s, UINT64_MAX), 0u);
	cr_assert_null(add(&s, 79), "all of them have one");
	cr_assert_not_null(find(&s, 3));
}

Test(rist_sources, expire_without_a_peer)
{
	struct rist_sources s = { .n = 0 };

	add(&s, 1)->since_ns = 10;
	add(&s, 2)->since_ns = 11;
	add(&s, 3)->since_ns = 12;
	cr_expect_eq(rist_sources_expire(&s, 10), 0u);
	cr_expect_eq(rist_sources_expire(&s, 12),
		     RIST_SOURCE_ODD | RIST_SOURCE_EVEN);
	cr_expect_null(find(&s, 1));
	cr_expect_null(find(&s, 2));
	cr_expect_not_null(find(&s, 3));
}
