/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/session_number.h"

#include "common/base/sip_hash.h"

#include <criterion/criterion.h>

Test(session_number, the_hash_is_that_of_the_authors)
{
	/* SipHash: a fast short-input PRF, test vectors: the key 00..0f and
	 * the message 00..07 */
	const struct sip_key key = { UINT64_C(0x0706050403020100),
				     UINT64_C(0x0f0e0d0c0b0a0908) };

	cr_assert_eq(sip_hash(&key, UINT64_C(0x0706050403020100)),
		     UINT64_C(0x93f5f5799a932462));
}

Test(session_number, only_the_key_makes_it)
{
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t number = session_number_new(77);

		cr_assert_neq(number, 0u);
		cr_assert(session_number_is_of(77, number));
		cr_assert_not(session_number_is_of(78, number));
		cr_assert_not(session_number_is_of(77, number ^ 1));
		cr_assert_not(session_number_is_of(
			77, number ^ UINT64_C(1) << 32));
	}
	cr_assert_neq(session_number_new(77), session_number_new(77));
}

Test(session_number, its_text_has_16_digits)
{
	char text[SESSION_NUMBER_TEXT];

	session_number_format(UINT64_C(0xabcdef), text);
	cr_assert_str_eq(text, "0000000000abcdef");
}
