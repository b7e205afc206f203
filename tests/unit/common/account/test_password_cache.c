/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/password_cache.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct digest key(struct verified *v, const char *login,
			 const char *password, const char *cipher)
{
	struct credential_text c = { login, password, cipher };

	return verified_key(v, &c);
}

Test(verified, holds_for_a_minute)
{
	struct verified *v = verified_new();
	struct digest k = key(v, "anna", "pw", "$y$1");

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
	struct digest k = key(v, "anna", "pw", "$y$1");
	struct digest others[] = {
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
	struct digest keys[VERIFIED_MAX + 1];

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		char login[16];

		(void)snprintf(login, sizeof login, "u%zu", i);
		keys[i] = key(v, login, "pw", "c");
		verified_add(v, &keys[i], 100 + i);
	}
	cr_expect_not(verified_has(v, &keys[0], 500));
	for (size_t i = 1; i < ARRAY_LEN(keys); i++)
		cr_expect(verified_has(v, &keys[i], 500), "%zu", i);
	verified_free(&v);
}
