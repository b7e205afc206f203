/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/auth/ws_token.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Whose it was, for one comparison; "" when it is not good. */
static const char *redeem(struct ws_tokens *t, const char *text, uint64_t now)
{
	static char login[16];
	char *got = ws_tokens_redeem(t, text, now);

	(void)strcpy(login, got != NULL ? got : "");
	free(got);
	return login;
}

Test(ws_token, is_good_once)
{
	struct ws_tokens *t = ws_tokens_new();
	char a[SECRET_TEXT], b[SECRET_TEXT];

	ws_tokens_issue(t, "anna", 1000, a);
	ws_tokens_issue(t, "bert", 1000, b);
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

	ws_tokens_issue(t, "anna", 1000, a);
	ws_tokens_issue(t, "anna", 1001, b);
	cr_expect_str_eq(redeem(t, a, 61000), "");
	cr_expect_str_eq(redeem(t, b, 61000), "anna");
	ws_tokens_free(&t);
}

Test(ws_token, a_17th_takes_the_place_of_the_oldest)
{
	struct ws_tokens *t = ws_tokens_new();
	char texts[17][SECRET_TEXT], other[SECRET_TEXT];

	ws_tokens_issue(t, "bert", 1, other);
	for (int i = 0; i < 17; i++)
		ws_tokens_issue(t, "anna", 10, texts[i]);
	cr_expect_str_eq(redeem(t, texts[0], 20), "");
	cr_expect_str_eq(redeem(t, other, 20), "bert");
	for (int i = 1; i < 17; i++)
		cr_expect_str_eq(redeem(t, texts[i], 20), "anna");
	ws_tokens_free(&t);
}

static bool is_not(const char *login, void *arg)
{
	return strcmp(login, arg) != 0;
}

Test(ws_token, those_of_one_login_are_sifted_out)
{
	struct ws_tokens *t = ws_tokens_new();
	char a[SECRET_TEXT], b[SECRET_TEXT], c[SECRET_TEXT];
	char anna[] = "anna";

	ws_tokens_issue(t, "anna", 1, a);
	ws_tokens_issue(t, "bert", 1, b);
	ws_tokens_issue(t, "anna", 1, c);
	ws_tokens_sift(t, is_not, anna);
	cr_expect_str_eq(redeem(t, a, 2), "");
	cr_expect_str_eq(redeem(t, b, 2), "bert");
	cr_expect_str_eq(redeem(t, c, 2), "");
	ws_tokens_free(&t);
}
