/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/ws_token.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Its owner, for one comparison; "" when it is invalid. */
static const char *redeem(struct ws_tokens *t, const char *text, uint64_t now)
{
	static char login[16];
	struct ws_token got = { .login = NULL };

	login[0] = '\0';
	if (ws_tokens_redeem(t, text, now, &got))
		(void)strcpy(login, got.login);
	free((char *)got.login);
	return login;
}

static void issue(struct ws_tokens *t, const char *login, uint64_t now,
		  char text[SECRET_TEXT])
{
	struct ws_token owner = { login, digest_of(login) };

	ws_tokens_issue(t, &owner, now, text);
}

Test(ws_token, is_good_once)
{
	struct ws_tokens *t = ws_tokens_new();
	char a[SECRET_TEXT], b[SECRET_TEXT];

	issue(t, "anna", 1000, a);
	issue(t, "bert", 1000, b);
	cr_expect_eq(strlen(a), 64);
	cr_expect_str_eq(redeem(t, b, 1001), "bert");
	cr_expect_str_eq(redeem(t, a, 1001), "anna");
	cr_expect_str_eq(redeem(t, a, 1001), "");
	cr_expect_str_eq(redeem(t, b, 1001), "");
	cr_expect_str_eq(redeem(t, "", 1001), "");
	ws_tokens_free(&t);
}

Test(ws_token, is_good_for_a_minute)
{
	struct ws_tokens *t = ws_tokens_new();
	char a[SECRET_TEXT], b[SECRET_TEXT];

	issue(t, "anna", 1000, a);
	issue(t, "anna", 1001, b);
	cr_expect_str_eq(redeem(t, a, 61000), "");
	cr_expect_str_eq(redeem(t, b, 61000), "anna");
	ws_tokens_free(&t);
}

Test(ws_token, a_17th_replaces_the_oldest)
{
	struct ws_tokens *t = ws_tokens_new();
	char texts[17][SECRET_TEXT], other[SECRET_TEXT];

	issue(t, "bert", 1, other);
	for (int i = 0; i < 17; i++)
		issue(t, "anna", 10, texts[i]);
	cr_expect_str_eq(redeem(t, texts[0], 20), "");
	cr_expect_str_eq(redeem(t, other, 20), "bert");
	for (int i = 1; i < 17; i++)
		cr_expect_str_eq(redeem(t, texts[i], 20), "anna");
	ws_tokens_free(&t);
}

static bool is_not(const struct ws_token *owner, void *arg)
{
	struct digest anna = digest_of(arg);

	return strcmp(owner->login, arg) != 0 &&
	       !digest_equal(&owner->stamp, &anna);
}

Test(ws_token, tokens_of_one_login_are_removed)
{
	struct ws_tokens *t = ws_tokens_new();
	char a[SECRET_TEXT], b[SECRET_TEXT], c[SECRET_TEXT];
	char anna[] = "anna";

	issue(t, "anna", 1, a);
	issue(t, "bert", 1, b);
	issue(t, "anna", 1, c);
	ws_tokens_sift(t, is_not, anna);
	cr_expect_str_eq(redeem(t, a, 2), "");
	cr_expect_str_eq(redeem(t, b, 2), "bert");
	cr_expect_str_eq(redeem(t, c, 2), "");
	ws_tokens_free(&t);
}
