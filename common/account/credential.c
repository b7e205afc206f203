/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/credential.h"

#include "common/base/utf8.h"

#include <openssl/evp.h>
#include <string.h>
#include <strings.h>

enum {
	PAIR_MAX = USER_LOGIN_MAX + 1 + PASSWORD_MAX,
	ENCODED_MAX = (PAIR_MAX + 2) / 3 * 4,
};

static bool is_session(const char *text, size_t len)
{
	if (len != SECRET_TEXT - 1)
		return false;
	for (size_t i = 0; i < len; i++)
		if (strchr("0123456789abcdef", text[i]) == NULL)
			return false;
	return true;
}

/* Decodes Base64 with all its padding and no other characters; returns the
 * length or -1. */
static int decode(const char *text, unsigned char *ret)
{
	size_t len = strlen(text), padding = 0;
	int n;

	if (len == 0 || len % 4 != 0 || len > ENCODED_MAX)
		return -1;
	/* EVP_DecodeBlock() would accept blanks around the text */
	if (strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			 "0123456789+/=") != len)
		return -1;
	while (padding < 2 && text[len - 1 - padding] == '=')
		padding++;
	if (strcspn(text, "=") != len - padding)
		return -1;
	n = EVP_DecodeBlock(ret, (const unsigned char *)text, (int)len);
	return n < 0 ? -1 : n - (int)padding;
}

/* Reads a pair of login and password (RFC 7617): login ":" password, both in
 * UTF-8 and without a NUL.  c stays unchanged if they are malformed or too
 * long. */
static void read_pair(const unsigned char *pair, size_t len,
		      struct credential *c)
{
	const unsigned char *colon = memchr(pair, ':', len);
	size_t login, password;

	if (colon == NULL || memchr(pair, '\0', len) != NULL ||
	    !utf8_is_valid(pair, len))
		return;
	login = (size_t)(colon - pair);
	password = len - login - 1;
	if (login == 0 || login > USER_LOGIN_MAX || password > PASSWORD_MAX)
		return;
	memcpy(c->login, pair, login);
	memcpy(c->password, colon + 1, password);
	c->kind = CREDENTIAL_BASIC;
}

/* The text behind the scheme of a header; NULL: it has another scheme. */
static const char *behind(const char *text, const char *scheme)
{
	size_t len = strlen(scheme);

	if (strncasecmp(text, scheme, len) != 0 || text[len] != ' ')
		return NULL;
	return text + len + strspn(text + len, " ");
}

void credential_read(const char *authorization, struct credential *c)
{
	const char *text;

	memset(c, 0, sizeof *c);
	if (authorization == NULL)
		return;
	c->kind = CREDENTIAL_BAD;
	if ((text = behind(authorization, "Basic")) != NULL) {
		unsigned char pair[PAIR_MAX + 3];
		int n = decode(text, pair);

		if (n >= 0)
			read_pair(pair, (size_t)n, c);
		explicit_bzero(pair, sizeof pair);
	} else if ((text = behind(authorization, "Bearer")) != NULL &&
		   is_session(text, strlen(text))) {
		memcpy(c->session, text, SECRET_TEXT);
		c->kind = CREDENTIAL_SESSION;
	}
}

bool credential_cookie(const char *cookie, char ret[SECRET_TEXT])
{
	static const char name[] = SESSION_COOKIE "=";

	/* RFC 6265 4.2.1: pairs of name=value, separated by "; " */
	while (cookie != NULL && *cookie != '\0') {
		size_t len;

		cookie += strspn(cookie, "; \t");
		len = strcspn(cookie, ";");
		if (strncmp(cookie, name, sizeof name - 1) == 0 &&
		    is_session(cookie + sizeof name - 1,
			       len - (sizeof name - 1))) {
			memcpy(ret, cookie + sizeof name - 1, SECRET_TEXT - 1);
			ret[SECRET_TEXT - 1] = '\0';
			return true;
		}
		cookie += len;
	}
	return false;
}

void credential_wipe(struct credential *c)
{
	explicit_bzero(c, sizeof *c);
}
