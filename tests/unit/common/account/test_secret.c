/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/secret.h"

#include <criterion/criterion.h>
#include <string.h>

Test(secret, is_64_hex_characters_and_never_the_same)
{
	char a[SECRET_TEXT], b[SECRET_TEXT];

	secret_new(a);
	secret_new(b);
	cr_expect_eq(strlen(a), 64);
	cr_expect_eq(strspn(a, "0123456789abcdef"), 64);
	cr_expect_str_neq(a, b);
}

Test(secret, a_password_has_80_bits_that_can_be_typed)
{
	char text[PASSWORD_TEXT];
	unsigned seen[256] = { 0 }, n = 0;

	for (unsigned i = 0; i < 2000; i++) {
		secret_new_password(text);
		cr_assert_eq(strlen(text), 16);
		for (const char *c = text; *c != '\0'; c++)
			seen[(unsigned char)*c]++;
	}
	/* 32000 signs of 32 kinds: each about 1000 times */
	for (unsigned i = 0; i < 256; i++) {
		n += seen[i] > 0;
		if (seen[i] > 0)
			cr_expect(seen[i] > 700 && seen[i] < 1300, "%c", i);
	}
	cr_expect_eq(n, 32);
	cr_expect_eq(seen['l'] + seen['1'] + seen['o'] + seen['0'], 0);
}

Test(secret, digests_are_sha256)
{
	/* FIPS 180-4, the example of one block */
	static const char abc[] = "ba7816bf8f01cfea414140de5dae2223"
				  "b00361a396177a9cb410ff61f20015ad";
	struct digest d = digest_of("abc"), back, other = digest_of("abd");
	char text[SECRET_TEXT];

	digest_format(&d, text);
	cr_expect_str_eq(text, abc);
	cr_assert(digest_parse(abc, &back));
	cr_expect(digest_equal(&d, &back));
	cr_expect_not(digest_equal(&d, &other));
	back.bytes[DIGEST_LEN - 1] ^= 1;
	cr_expect_not(digest_equal(&d, &back));
	cr_expect_not(digest_parse("", &back));
	cr_expect_not(digest_parse("BA", &back));
	text[5] = 'G';
	cr_expect_not(digest_parse(text, &back));
}

Test(secret, keyed_digests_are_hmac_sha256_of_texts_with_their_ends)
{
	/* Python's hmac gives this for the bytes a \0 b c \0 */
	static const char wanted[] = "c27dbe7b3f32dd5fb007a67188b63798"
				     "683c8fd5cf98d4ecd54a65aa1d861e78";
	const char *texts[] = { "a", "bc" }, *others[] = { "ab", "c" };
	uint8_t key[DIGEST_LEN];
	struct digest d, other;
	char text[SECRET_TEXT];

	for (uint8_t i = 0; i < DIGEST_LEN; i++)
		key[i] = i;
	d = digest_keyed(key, texts, 2);
	digest_format(&d, text);
	cr_expect_str_eq(text, wanted);
	other = digest_keyed(key, others, 2);
	cr_expect_not(digest_equal(&d, &other));
}
