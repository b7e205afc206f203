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

	return lockout_is_locked(l, &(struct lockout_try){ &a, "olga", 0 },
				 now);
}

static unsigned room(struct lockout *l, const char *text, uint64_t now)
{
	struct ip_address a = ip(text);

	return lockout_room(l, &(struct lockout_try){ &a, "olga", 0 }, now);
}

static unsigned guess(struct lockout *l, const char *text, const char *login,
		      uint64_t now)
{
	struct ip_address a = ip(text);

	return lockout_fail(l, &(struct lockout_try){ &a, login, 0 }, now);
}

/* Each guess is of another login: the address alone counts. */
static bool fail(struct lockout *l, const char *text, uint64_t now)
{
	static unsigned n;
	char login[16];

	(void)snprintf(login, sizeof login, "user%u", n++);
	return guess(l, text, login, now) == LOCKOUT_ADDRESS;
}

static void succeed(struct lockout *l, const char *text, const char *login)
{
	struct ip_address a = ip(text);

	lockout_succeed(l, &(struct lockout_try){ &a, login, 0 });
	lockout_keep(l, &(struct lockout_try){ &a, login, 0 });
}

static bool is_shut(struct lockout *l, const char *text, const char *login,
		    uint64_t now)
{
	struct ip_address a = ip(text);

	return lockout_is_locked(l, &(struct lockout_try){ &a, login, 0 }, now);
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

Test(lockout, a_success_forgets_failures_of_its_login_there)
{
	struct lockout *l = lockout_new();

	for (unsigned i = 0; i < 4; i++)
		(void)guess(l, "192.0.2.1", "olga", 10);
	succeed(l, "192.0.2.1", "olga");
	succeed(l, "192.0.2.9", "olga");
	for (unsigned i = 0; i < 4; i++)
		cr_expect_eq(guess(l, "192.0.2.1", "olga", 11), 0);
	cr_expect_eq(guess(l, "192.0.2.1", "olga", 11), LOCKOUT_ADDRESS);
	lockout_free(&l);
}

/* The attack: guesses of another user, each followed by an own success. */
Test(lockout, an_own_success_buys_no_guesses_of_another_login)
{
	struct lockout *l = lockout_new();

	for (unsigned i = 0; i < 4; i++) {
		cr_expect_eq(guess(l, "192.0.2.1", "admin", 10), 0);
		succeed(l, "192.0.2.1", "olga");
		succeed(l, "192.0.2.2", "admin");
	}
	cr_expect_eq(guess(l, "192.0.2.1", "admin", 10), LOCKOUT_ADDRESS);
	cr_expect(is_shut(l, "192.0.2.1", "olga", 10));
	lockout_free(&l);
}

/* n guesses, each from an address of its own. */
static unsigned spread(struct lockout *l, const char *login, unsigned n,
		       uint64_t now)
{
	unsigned locked = 0;
	char text[IP_TEXT_MAX];

	for (unsigned i = 0; i < n; i++) {
		(void)snprintf(text, sizeof text, "198.51.100.%u", i);
		locked = guess(l, text, login, now);
	}
	return locked;
}

Test(lockout, many_addresses_lock_the_login_that_they_guess)
{
	struct lockout *l = lockout_new();

	cr_expect_eq(spread(l, "admin", 19, 10), 0);
	cr_expect_not(is_shut(l, "192.0.2.1", "admin", 10));
	cr_expect_eq(guess(l, "192.0.2.7", "admin", 10), LOCKOUT_LOGIN);
	cr_expect(is_shut(l, "192.0.2.1", "admin", 10));
	cr_expect_not(is_shut(l, "192.0.2.1", "olga", 10));
	/* nothing extends it */
	cr_expect_eq(spread(l, "admin", 200, 30000), 0);
	cr_expect(is_shut(l, "192.0.2.1", "admin", 60009));
	cr_expect_not(is_shut(l, "192.0.2.1", "admin", 60010));
	lockout_free(&l);
}

/* All five guesses of an address count, also that which locks the address. */
Test(lockout, four_addresses_with_five_guesses_each_lock_the_login)
{
	struct lockout *l = lockout_new();
	char text[16];

	for (unsigned i = 0; i < 20; i++) {
		unsigned wanted = (i % 5 == 4 ? LOCKOUT_ADDRESS : 0) |
				  (i == 19 ? LOCKOUT_LOGIN : 0);

		(void)snprintf(text, sizeof text, "192.0.2.%u", 1 + i / 5);
		cr_expect_eq(guess(l, text, "admin", 10), wanted, "%u", i);
	}
	cr_expect(is_shut(l, "192.0.2.9", "admin", 10));
	lockout_free(&l);
}

/* The attack: guesses at a public door lock clients out of another. */
Test(lockout, a_login_and_an_address_are_locked_at_one_door)
{
	struct lockout *l = lockout_new();
	struct ip_address a = ip("192.0.2.1"), guesser = ip("198.51.100.200");
	struct lockout_try at[LOCKOUT_DOORS] = { { &a, "admin", 0 },
						 { &a, "admin", 1 } };

	(void)spread(l, "admin", 20, 10);
	cr_expect(lockout_is_locked(l, &at[0], 10));
	cr_expect_not(lockout_is_locked(l, &at[1], 10));
	cr_expect_eq(lockout_login_room(l, &at[1], 10), LOCKOUT_LOGIN_FAILURES);
	for (unsigned i = 0; i < 10; i++)
		cr_expect_eq(lockout_fail(l, &(struct lockout_try){
			&guesser, "olga", 1 }, 10), i == 4
			? LOCKOUT_ADDRESS : 0);
	for (unsigned i = 0; i < LOCKOUT_DOORS; i++)
		cr_expect_eq(lockout_is_locked(l, &(struct lockout_try){
			&guesser, "vera", i }, 10), i == 1);
	lockout_free(&l);
}

Test(lockout, a_locked_login_enters_from_where_it_was)
{
	struct lockout *l = lockout_new();

	succeed(l, "192.0.2.1", "admin");
	succeed(l, "192.0.2.2", "olga");
	(void)spread(l, "admin", 20, 10);
	cr_expect_not(is_shut(l, "192.0.2.1", "admin", 10));
	cr_expect(is_shut(l, "192.0.2.2", "admin", 10));
	/* five guesses lock that address as well */
	for (unsigned i = 0; i < 5; i++)
		(void)guess(l, "192.0.2.1", "admin", 10);
	cr_expect(is_shut(l, "192.0.2.1", "admin", 10));
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
	for (unsigned i = 0; i < LOCKOUT_ENTRIES_MAX - 1; i++) {
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
