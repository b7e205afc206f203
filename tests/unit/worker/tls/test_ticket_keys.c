/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tls/ticket_keys.h"

#include <criterion/criterion.h>
#include <string.h>

enum { HOUR = TICKET_ROTATE_MS };

static struct ticket_key seal(struct ticket_keys *keys, uint64_t now_ms)
{
	const struct ticket_key *k = ticket_keys_seal(keys, now_ms);

	cr_assert_not_null(k);
	return *k;
}

static bool opens(const struct ticket_keys *keys, const struct ticket_key *k,
		  uint64_t now_ms)
{
	const struct ticket_key *found = ticket_keys_open(keys, k->name,
							  now_ms);

	cr_assert(found == NULL || memcmp(found, k, sizeof *k) == 0);
	return found != NULL;
}

Test(ticket_keys, one_key_seals_for_an_hour)
{
	struct ticket_keys keys = { 0 };
	struct ticket_key first = seal(&keys, 5), again, next;

	again = seal(&keys, 5 + HOUR - 1);
	cr_expect_arr_eq(again.name, first.name, sizeof first.name);
	next = seal(&keys, 5 + HOUR);
	cr_expect_arr_neq(next.name, first.name, sizeof first.name);
	cr_expect_arr_neq(next.aes, first.aes, sizeof first.aes);
	cr_expect_arr_neq(next.hmac, first.hmac, sizeof first.hmac);
}

Test(ticket_keys, the_previous_key_opens_for_another_hour)
{
	struct ticket_keys keys = { 0 };
	struct ticket_key first = seal(&keys, 5), second;

	cr_expect(opens(&keys, &first, 5));
	second = seal(&keys, 5 + HOUR);
	cr_expect(opens(&keys, &first, 5 + 2 * HOUR - 1));
	cr_expect(opens(&keys, &second, 5 + 2 * HOUR));
	cr_expect_not(opens(&keys, &first, 5 + 2 * HOUR));
}

Test(ticket_keys, a_key_without_successor_expires)
{
	struct ticket_keys keys = { 0 };
	struct ticket_key first = seal(&keys, 5);

	cr_expect(opens(&keys, &first, 5 + 2 * HOUR - 1));
	cr_expect_not(opens(&keys, &first, 5 + 2 * HOUR));
}

Test(ticket_keys, an_unknown_name_opens_nothing)
{
	struct ticket_keys keys = { 0 }, others = { 0 };
	struct ticket_key ours = seal(&keys, 5), theirs = seal(&others, 5);
	struct ticket_key none = { 0 };

	cr_expect_not(opens(&keys, &theirs, 5));
	cr_expect_not(opens(&keys, &none, 5));
	ticket_keys_forget(&keys);
	cr_expect_not(opens(&keys, &ours, 5));
	cr_expect_not(opens(&keys, &none, 5));
}
