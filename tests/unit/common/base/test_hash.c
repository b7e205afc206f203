/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/hash.h"

#include <criterion/criterion.h>

/* Stored hashes outlive a worker, also one of another version. */
Test(hash, is_fnv_1a)
{
	cr_expect_eq(hash_add(HASH_INIT, "", 0), HASH_INIT);
	cr_expect_eq(hash_add(HASH_INIT, "a", 1),
		     UINT64_C(0xaf63dc4c8601ec8c));
	cr_expect_eq(hash_add(HASH_INIT, "foobar", 6),
		     UINT64_C(0x85944171f73967e8));
}

Test(hash, of_parts_is_that_of_the_whole)
{
	cr_expect_eq(hash_add(hash_add(HASH_INIT, "a", 1), "bc", 2),
		     hash_add(HASH_INIT, "abc", 3));
	cr_expect_neq(hash_add(HASH_INIT, "abc", 3),
		      hash_add(HASH_INIT, "abd", 3));
	cr_expect_neq(hash_add(HASH_INIT, "abc", 3),
		      hash_add(HASH_INIT, "ab", 2));
}
