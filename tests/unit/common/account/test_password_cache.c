/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/password_cache.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct verified_key key_at(struct verified *v, const char *login,
				  const char *password, const char *address)
{
	struct credential_text c = { login, password, "$y$1", address };

	return verified_key(v, &c);
}

static struct verified_key key(struct verified *v, const char *login,
			       const char *password, const char *cipher)
{
	struct credential_text c = { login, password, cipher, "192.0.2.1" };

	return verified_key(v, &c);
}

Test(verified, holds_for_a_minute)
{
	struct verified *v = verified_new();
	struct verified_key k = key(v, "anna", "pw", "$y$1");

	cr_expect_not(verified_has(v, &k, 0), "an empty place is no entry");
	verified_add(v, &k, 1000);
	cr_expect(verified_has(v, &k, 60999));
	cr_expect_not(verified_has(v, &k, 61000));
	verified_add(v, &k, 61000);
	cr_expect(verified_has(v, &k, 61001));
	verified_free(&v);
}

Test(verified, each_part_counts_and_parts_do_not_run_together)
{
	struct verified *v = verified_new(), *other = verified_new();
	struct verified_key k = key(v, "anna", "pw", "$y$1");
	struct verified_key others[] = {
		key(v, "bert", "pw", "$y$1"), key(v, "anna", "pw2", "$y$1"),
		key(v, "anna", "pw", "$y$2"), key(v, "annap", "w", "$y$1"),
		key(v, "anna", "pw$y$1", ""), key(other, "anna", "pw", "$y$1"),
	};

	verified_add(v, &k, 0);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		cr_expect_not(verified_has(v, &others[i], 1), "%zu", i);
	verified_free(&v);
	verified_free(&other);
}

Test(verified, is_bounded_and_the_oldest_makes_room)
{
	struct verified *v = verified_new();
	struct verified_key keys[VERIFIED_MAX + 1];

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		char login[16];

		(void)snprintf(login, sizeof login, "u%zu", i);
		keys[i] = key(v, login, "pw", "c");
		verified_add(v, &keys[i], 100 + i);
	}
	cr_expect_not(verified_has(v, &keys[0], 2000));
	for (size_t i = 1; i < ARRAY_LEN(keys); i++)
		cr_expect(verified_has(v, &keys[i], 2000), "%zu", i);
	verified_free(&v);
}

Test(verified, is_known_for_an_hour_where_it_is_used)
{
	struct verified *v = verified_new();
	struct verified_key here = key_at(v, "anna", "pw", "192.0.2.1");
	struct verified_key there = key_at(v, "anna", "pw", "192.0.2.2");
	struct verified_key other = key_at(v, "bert", "pw", "192.0.2.1");

	verified_add(v, &here, 0);
	cr_expect(verified_has(v, &there, 1));
	cr_expect_not(verified_has_there(v, &there, 1));
	cr_expect_not(verified_has_there(v, &other, 1));
	/* a use elsewhere is no check: the minute goes on */
	verified_use(v, &there, 30000);
	cr_expect(verified_has_there(v, &there, 30000));
	cr_expect_not(verified_has(v, &there, 60000));
	verified_use(v, &there, 60000);
	cr_expect(verified_has_there(v, &here, 3599999));
	cr_expect(verified_has_there(v, &here, 7199998));
	cr_expect_not(verified_has_there(v, &here, 10799998));
	cr_expect_not(verified_has_there(v, &there, 3630000));
	verified_free(&v);
}

/* Otherwise it would answer guesses without end. */
Test(verified, few_others_of_the_login_are_compared_there)
{
	struct verified *v = verified_new();
	struct verified_key right = key_at(v, "anna", "pw", "192.0.2.1");
	struct verified_key old = key(v, "anna", "old", "$y$0");
	struct verified_key bert = key_at(v, "bert", "pw", "192.0.2.1");
	char password[16];

	verified_add(v, &right, 0);
	verified_add(v, &bert, 0);
	verified_add(v, &old, 0);
	/* its own uses are no misses of an older password */
	for (unsigned i = 0; i < 20; i++)
		cr_expect(verified_has_there(v, &right, 1000));
	for (unsigned i = 0; i < VERIFIED_MISSES_MAX; i++) {
		struct verified_key wrong;

		cr_expect(verified_has_there(v, &right, 1000));
		(void)snprintf(password, sizeof password, "guess%u", i);
		wrong = key_at(v, "anna", password, "192.0.2.1");
		cr_expect_not(verified_has_there(v, &wrong, 1000 + i));
	}
	cr_expect_not(verified_has_there(v, &right, 60999));
	cr_expect(verified_has_there(v, &bert, 60999));
	/* a check that begins afterwards keeps them */
	verified_add(v, &right, 60999);
	cr_expect_not(verified_has_there(v, &right, 60999));
	cr_expect(verified_has_there(v, &right, 61000));
	verified_free(&v);
}

/* A player does so. */
Test(verified, a_password_that_is_repeated_there_is_one_miss)
{
	struct verified *v = verified_new();
	struct verified_key right = key_at(v, "anna", "pw", "192.0.2.1");
	struct verified_key wrong[VERIFIED_MISSES_MAX];
	char password[16];

	verified_add(v, &right, 0);
	for (unsigned i = 0; i < VERIFIED_MISSES_MAX; i++) {
		cr_expect(verified_has_there(v, &right, 1000));
		(void)snprintf(password, sizeof password, "guess%u", i);
		wrong[i] = key_at(v, "anna", password, "192.0.2.1");
		for (unsigned k = 0; k < 20; k++)
			cr_expect_not(verified_has_there(v, &wrong[k % (i + 1)],
							 1000));
	}
	cr_expect_not(verified_has_there(v, &right, 60999));
	/* a minute later it counts again */
	cr_expect_not(verified_has_there(v, &wrong[0], 61000));
	for (unsigned i = 1; i < VERIFIED_MISSES_MAX; i++) {
		cr_expect(verified_has_there(v, &right, 61000));
		cr_expect_not(verified_has_there(v, &wrong[i], 61000));
	}
	cr_expect_not(verified_has_there(v, &right, 61000));
	verified_free(&v);
}
