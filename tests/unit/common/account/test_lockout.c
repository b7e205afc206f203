/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/lockout.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct ip_address ip(const char *text)
{
	struct ip_address a;

	cr_assert_eq(ip_parse(text, &a), 0, "%s", text);
	return a;
}

static bool is_locked(struct lockout *l, const char *text, uint64_t now)
{
	struct ip_address a = ip(text);

	return lockout_is_locked(l, &a, now);
}

static unsigned room(struct lockout *l, const char *text, uint64_t now)
{
	struct ip_address a = ip(text);

	return lockout_room(l, &a, now);
}

static bool fail(struct lockout *l, const char *text, uint64_t now)
{
	struct ip_address a = ip(text);

	return lockout_fail(l, &a, now);
}

static void succeed(struct lockout *l, const char *text)
{
	struct ip_address a = ip(text);

	lockout_succeed(l, &a);
}

Test(lockout, five_failures_in_a_minute_lock_for_a_minute_after_the_last)
{
	struct lockout *l = lockout_new();

	for (unsigned i = 0; i < 4; i++) {
		cr_expect_eq(room(l, "192.0.2.1", 1000 * i), 5 - i);
		cr_expect_not(fail(l, "192.0.2.1", 1000 * i));
		cr_expect_not(is_locked(l, "192.0.2.1", 1000 * i));
	}
	cr_expect(fail(l, "192.0.2.1", 59999));
	cr_expect(is_locked(l, "192.0.2.1", 59999));
	cr_expect_eq(room(l, "192.0.2.1", 59999), 0);
	cr_expect_not(is_locked(l, "192.0.2.2", 59999));
	cr_expect(is_locked(l, "192.0.2.1", 119998));
	cr_expect_not(is_locked(l, "192.0.2.1", 119999));
	cr_expect_eq(room(l, "192.0.2.1", 119999), 5);
	lockout_free(&l);
}

Test(lockout, the_fifth_has_to_come_within_the_minute_of_the_first)
{
	struct lockout *l = lockout_new();

	for (unsigned i = 0; i < 4; i++)
		(void)fail(l, "192.0.2.1", 100 + i);
	cr_expect_not(fail(l, "192.0.2.1", 60100), "the first is too old");
	cr_expect(fail(l, "192.0.2.1", 60100), "the second is not");
	lockout_free(&l);
}

Test(lockout, nothing_extends_a_lock)
{
	struct lockout *l = lockout_new();

	for (unsigned i = 0; i < 5; i++)
		(void)fail(l, "192.0.2.1", 10);
	for (unsigned i = 0; i < 100; i++)
		cr_expect_not(fail(l, "192.0.2.1", 20000));
	cr_expect_not(is_locked(l, "192.0.2.1", 60010));
	lockout_free(&l);
}

Test(lockout, counts_from_zero_after_a_lock)
{
	struct lockout *l = lockout_new();

	for (unsigned i = 0; i < 5; i++)
		(void)fail(l, "192.0.2.1", 10);
	for (unsigned i = 0; i < 4; i++)
		cr_expect_not(fail(l, "192.0.2.1", 60010 + i));
	cr_expect(fail(l, "192.0.2.1", 60020));
	lockout_free(&l);
}

Test(lockout, a_success_forgets)
{
	struct lockout *l = lockout_new();

	for (unsigned i = 0; i < 4; i++)
		(void)fail(l, "192.0.2.1", 10);
	succeed(l, "192.0.2.1");
	succeed(l, "192.0.2.9");
	for (unsigned i = 0; i < 4; i++)
		cr_expect_not(fail(l, "192.0.2.1", 11));
	cr_expect(fail(l, "192.0.2.1", 11));
	lockout_free(&l);
}

Test(lockout, an_ipv6_network_is_one_address_and_mapped_is_ipv4)
{
	struct lockout *l = lockout_new();

	for (unsigned i = 0; i < 5; i++) {
		char text[IP_TEXT_MAX];

		(void)snprintf(text, sizeof text, "2001:db8:0:1::%x", i);
		(void)fail(l, text, 10);
		(void)fail(l, i % 2 ? "192.0.2.1" : "::ffff:192.0.2.1", 10);
	}
	cr_expect(is_locked(l, "2001:db8:0:1:ffff::1", 10));
	cr_expect_not(is_locked(l, "2001:db8:0:2::1", 10));
	cr_expect(is_locked(l, "192.0.2.1", 10));
	cr_expect_not(is_locked(l, "192.0.2.2", 10));
	lockout_free(&l);
}

Test(lockout, the_table_is_bounded_and_forgets_the_oldest)
{
	struct lockout *l = lockout_new();

	for (unsigned i = 0; i < 5; i++)
		(void)fail(l, "192.0.2.1", 10);
	for (unsigned i = 0; i < LOCKOUT_ADDRESSES_MAX - 1; i++) {
		char text[IP_TEXT_MAX];

		(void)snprintf(text, sizeof text, "10.0.%u.%u", i / 256,
			       i % 256);
		(void)fail(l, text, 11);
	}
	cr_expect(is_locked(l, "192.0.2.1", 11));
	(void)fail(l, "10.9.9.9", 12);
	cr_expect_not(is_locked(l, "192.0.2.1", 12));
	cr_expect_eq(room(l, "10.0.0.0", 12), 4);
	lockout_free(&l);
}
