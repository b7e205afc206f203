/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/credential.h"

#include <criterion/criterion.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

Test(credential, basic_is_login_and_password)
{
	static const struct {
		const char *header, *login, *password;
	} cases[] = {
		/* RFC 7617 2 and 2.1 */
		{ "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin",
		  "open sesame" },
		{ "basic dGVzdDoxMjPCow==", "test", "123\xc2\xa3" },
		{ "BASIC   YTo=", "a", "" },
		{ "Basic YTo6Yjpj", "a", ":b:c" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct credential c;

		credential_read(cases[i].header, &c);
		cr_assert_eq(c.kind, CREDENTIAL_BASIC, "%s", cases[i].header);
		cr_expect_str_eq(c.login, cases[i].login);
		cr_expect_str_eq(c.password, cases[i].password);
		credential_wipe(&c);
		cr_expect_str_eq(c.password, "");
	}
}

Test(credential, a_malformed_credential_is_bad)
{
	static const char *const headers[] = {
		"", "Basic", "Basic ", "Basic !", "BasicYTo=", "Basic YT",
		"Basic YTo", "Basic YTo=YTo=", "Basic YTo= ", "Basic YQ==",
		"Basic OmI=" /* no login */, "Basic YQBiOmM=" /* NUL */,
		"Basic YTr/" /* no UTF-8 */, "Basic ====", "Basic =YTo",
		"Bearer", "Bearer ", "Bearer x", "Bearer " ID "0",
		"Bearer " ID " ", "Digest username=\"a\"", "Bearer"
		" 0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789ab"
		"cdef",
	};

	for (size_t i = 0; i < ARRAY_LEN(headers); i++) {
		struct credential c;

		credential_read(headers[i], &c);
		cr_expect_eq(c.kind, CREDENTIAL_BAD, "%s", headers[i]);
	}
}

Test(credential, an_absent_header_is_no_credential)
{
	struct credential c;

	credential_read(NULL, &c);
	cr_expect_eq(c.kind, CREDENTIAL_NONE);
}

Test(credential, bearer_is_a_session_id)
{
	struct credential c;

	credential_read("Bearer " ID, &c);
	cr_assert_eq(c.kind, CREDENTIAL_SESSION);
	cr_expect_str_eq(c.session, ID);
	credential_read("bearer  " ID, &c);
	cr_expect_eq(c.kind, CREDENTIAL_SESSION);
}

static enum credential_kind basic_of(size_t login, size_t password)
{
	unsigned char pair[2048];
	char header[4096] = "Basic ";
	struct credential c;

	memset(pair, 'l', login);
	pair[login] = ':';
	memset(pair + login + 1, 'p', password);
	(void)EVP_EncodeBlock((unsigned char *)header + 6, pair,
			      (int)(login + 1 + password));
	credential_read(header, &c);
	return c.kind;
}

Test(credential, lengths_are_bounded)
{
	cr_expect_eq(basic_of(USER_LOGIN_MAX, PASSWORD_MAX),
		     CREDENTIAL_BASIC);
	cr_expect_eq(basic_of(USER_LOGIN_MAX + 1, 1), CREDENTIAL_BAD);
	cr_expect_eq(basic_of(1, PASSWORD_MAX + 1), CREDENTIAL_BAD);
	cr_expect_eq(basic_of(1, 1500), CREDENTIAL_BAD);
}

Test(credential, the_cookie_is_found_among_others)
{
	static const struct {
		const char *header;
		bool found;
	} cases[] = {
		{ "svc_session=" ID, true },
		{ "a=b; svc_session=" ID "; c=d", true },
		{ "a=b;svc_session=" ID, true },
		{ "svc_session=; svc_session=" ID, true },
		{ "; ;;svc_session=" ID ";", true },
		{ NULL, false },
		{ "", false },
		{ "svc_session", false },
		{ "svc_session=", false },
		{ "svc_session=" ID "0", false },
		{ "svc_session=\"" ID "\"", false },
		{ "xsvc_session=" ID, false },
		{ "a=svc_session=" ID, false },
		{ "SVC_SESSION=" ID, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char id[SECRET_TEXT] = "";

		cr_expect_eq(credential_cookie(cases[i].header, id),
			     cases[i].found, "%s", cases[i].header);
		cr_expect_str_eq(id, cases[i].found ? ID : "");
	}
}
