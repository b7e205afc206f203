/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/password.h"

#include <criterion/criterion.h>
#include <string.h>

Test(password, a_hash_is_yescrypt_and_of_its_password_alone)
{
	char a[PASSWORD_HASH_MAX], b[PASSWORD_HASH_MAX];

	cr_assert_eq(password_hash("correct horse", a), 0);
	cr_assert_eq(password_hash("correct horse", b), 0);
	cr_expect_eq(strncmp(a, "$y$", 3), 0, "%s", a);
	cr_expect_str_neq(a, b, "two salts are the same");
	cr_expect(password_verify("correct horse", a));
	cr_expect(password_verify("correct horse", b));
	cr_expect_not(password_verify("correct horsf", a));
	cr_expect_not(password_verify("", a));
}

Test(password, hashes_of_other_kinds_are_verified)
{
	/* SHA-512 with a salt, as passwd(1) of older systems made them; the
	 * vector is of the specification of SHA-crypt */
	static const char sha512[] =
		"$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFN"
		"jnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1";

	cr_expect(password_verify("Hello world!", sha512));
	cr_expect_not(password_verify("Hello world?", sha512));
}

Test(password, an_invalid_hash_has_no_password)
{
	static const char *const odd[] = {
		"", "*", "x", "*0", "$", "$y$", "$y$j9T$", "plain",
		"0123456789abcdef0123456789abcdef",
		"$y$j9T$abcdefgh$", "$9999$x$y",
	};

	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		cr_expect_not(password_verify("", odd[i]), "%s", odd[i]);
		cr_expect_not(password_verify("plain", odd[i]), "%s", odd[i]);
		cr_expect_not(password_verify(odd[i], odd[i]), "%s", odd[i]);
	}
}

Test(password, the_longest_is_accepted_and_a_longer_one_rejected)
{
	char password[PASSWORD_INPUT_MAX + 2], hash[PASSWORD_HASH_MAX];

	memset(password, 'p', sizeof password - 1);
	password[PASSWORD_INPUT_MAX + 1] = '\0';
	cr_expect_lt(password_hash(password, hash), 0);
	password[PASSWORD_INPUT_MAX] = '\0';
	cr_assert_eq(password_hash(password, hash), 0);
	cr_expect(password_verify(password, hash));
	password[PASSWORD_INPUT_MAX - 1] = 'q';
	cr_expect_not(password_verify(password, hash), "the end counts");
}
