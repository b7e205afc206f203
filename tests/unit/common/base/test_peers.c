/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/peers.h"

#include <criterion/criterion.h>
#include <errno.h>

enum { MAX_EACH = 3 };

static struct peers *three_each(const char *proxies)
{
	struct ip_prefix prefix;
	struct peers_config cfg = { .max = MAX_EACH };

	if (proxies != NULL) {
		cr_assert_eq(ip_prefix_parse(proxies, &prefix), 0);
		cfg.proxies = &prefix;
		cfg.n_proxies = 1;
	}
	return peers_new(&cfg);
}

static int enter(struct peers *p, const char *text, struct peer **ret)
{
	struct ip_address a;

	cr_assert_eq(ip_parse(text, &a), 0);
	return peers_enter(p, &a, ret);
}

Test(peers, bound_each_address_and_not_its_neighbour)
{
	struct peers *p = three_each(NULL);
	struct peer *all[MAX_EACH], *other, *again;

	for (size_t i = 0; i < MAX_EACH; i++)
		cr_assert_eq(enter(p, "192.0.2.1", &all[i]), 0);
	cr_assert_eq(enter(p, "192.0.2.1", &again), -EUSERS);
	cr_assert_eq(enter(p, "::ffff:192.0.2.1", &again), -EUSERS);
	cr_assert_eq(enter(p, "192.0.2.2", &other), 0);
	peer_leave(&all[1]);
	cr_assert_null(all[1]);
	cr_assert_eq(enter(p, "192.0.2.1", &all[1]), 0);
	cr_assert_eq(enter(p, "192.0.2.1", &again), -EUSERS);
	for (size_t i = 0; i < MAX_EACH; i++)
		peer_leave(&all[i]);
	peer_leave(&other);
	peers_free(&p);
	cr_assert_null(p);
}

Test(peers, an_ipv6_network_counts_as_one)
{
	struct peers *p = three_each(NULL);
	struct peer *all[MAX_EACH], *again;

	cr_assert_eq(enter(p, "2001:db8:1:2::1", &all[0]), 0);
	cr_assert_eq(enter(p, "2001:db8:1:2::2", &all[1]), 0);
	cr_assert_eq(enter(p, "2001:db8:1:2:ffff::3", &all[2]), 0);
	cr_assert_eq(enter(p, "2001:db8:1:2::4", &again), -EUSERS);
	for (size_t i = 0; i < MAX_EACH; i++)
		peer_leave(&all[i]);
	peers_free(&p);
}

Test(peers, do_not_count_this_host_and_proxies)
{
	static const char *const many[] = {
		"127.0.0.1", "::1", "::ffff:127.1.2.3", "198.51.100.7",
	};
	struct peers *p = three_each("198.51.100.0/24");

	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		for (unsigned n = 0; n < 2 * MAX_EACH; n++) {
			struct peer *peer;

			cr_assert_eq(enter(p, many[i], &peer), 0);
			cr_assert_null(peer);
			peer_leave(&peer);
		}
	peers_free(&p);
}

Test(peers, keep_many_addresses_apart)
{
	enum { ADDRESSES = 5000 };
	static struct peer *all[ADDRESSES];
	struct peers *p = three_each(NULL);

	for (unsigned i = 0; i < ADDRESSES; i++) {
		struct ip_address a = { { [10] = 0xff, [11] = 0xff, [12] = 10,
					  [14] = (uint8_t)(i >> 8),
					  [15] = (uint8_t)i } };

		cr_assert_eq(peers_enter(p, &a, &all[i]), 0);
		cr_assert_not_null(all[i]);
		if (i > 0)
			cr_assert_neq(all[i], all[i - 1]);
	}
	for (unsigned i = 0; i < ADDRESSES; i++)
		peer_leave(&all[i]);
	peers_free(&p);
}

Test(peers, count_the_bytes_of_an_address)
{
	struct peers *p = three_each(NULL);
	struct peer *a, *b, *other, *local;

	cr_assert_eq(enter(p, "192.0.2.1", &a), 0);
	cr_assert_eq(enter(p, "192.0.2.1", &b), 0);
	cr_assert_eq(enter(p, "192.0.2.2", &other), 0);
	cr_assert_eq(enter(p, "127.0.0.1", &local), 0);
	cr_assert_eq(peer_hold(a, 1000), 1000u);
	cr_assert_eq(peer_hold(b, 500), 1500u);
	cr_assert_eq(peer_hold(other, 7), 7u);
	cr_assert_eq(peer_hold(local, 7), 0u);
	cr_assert_eq(peer_hold(a, -1000), 500u);
	cr_assert_eq(peer_hold(b, -500), 0u);
	peer_leave(&a);
	peer_leave(&b);
	peer_leave(&other);
	peers_free(&p);
}

static struct peer_place *place(struct peers *p, const char *text,
				struct peer_place *ret)
{
	struct ip_address a;

	cr_assert_eq(ip_parse(text, &a), 0);
	return peers_place(p, &a, ret);
}

Test(peers, a_place_too_many_replaces_the_one_unused_for_longest)
{
	struct peers *p = three_each(NULL);
	struct peer_place all[MAX_EACH + 1] = { 0 }, other = { 0 };
	struct peer_place local[2 * MAX_EACH] = { 0 };

	for (size_t i = 0; i < MAX_EACH; i++)
		cr_assert_null(place(p, "192.0.2.1", &all[i]));
	cr_assert_null(place(p, "192.0.2.2", &other));
	peer_place_use(&all[0]);
	cr_assert_eq(place(p, "192.0.2.1", &all[MAX_EACH]), &all[1]);
	peer_place_leave(&all[1]);
	cr_assert_null(all[1].peer);
	peer_place_leave(&all[2]);
	cr_assert_null(place(p, "192.0.2.1", &all[1]));
	cr_assert_eq(place(p, "192.0.2.1", &all[2]), &all[0]);
	for (size_t i = 0; i <= MAX_EACH; i++)
		peer_place_leave(&all[i]);
	peer_place_leave(&other);
	/* this host is not counted */
	for (size_t i = 0; i < ARRAY_LEN(local); i++) {
		cr_assert_null(place(p, "127.0.0.1", &local[i]));
		cr_assert_null(local[i].peer);
		peer_place_use(&local[i]);
		peer_place_leave(&local[i]);
	}
	peers_free(&p);
}
