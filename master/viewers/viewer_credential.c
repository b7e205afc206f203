/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/viewer_credential.h"

#include "common/base/utf8.h"
#include "proto/wire/http_target.h"

#include <stdio.h>
#include <string.h>

/* Reads a parameter of the query into text; "": the parameter is absent.
 * False: it is malformed or too long, or occurs twice. */
static bool read_one(const char *query, const char *key, char *text,
		     size_t size)
{
	size_t n = http_query_count(query, key);

	text[0] = '\0';
	if (n == 0)
		return true;
	return n == 1 && http_query_get(query, key, text, size) &&
	       utf8_is_valid(text, strlen(text));
}

/* True: the text has only bytes that a client can send in its query. */
static bool is_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f)
			return false;
	return true;
}

bool viewer_credential_read(const char *query, struct viewer_credential *ret)
{
	char both[USER_LOGIN_MAX + PASSWORD_MAX + 2];
	const char *colon;
	size_t len;
	bool ok;

	*ret = (struct viewer_credential){ 0 };
	both[0] = '\0';
	ok = is_printable(query) &&
	     read_one(query, "token", ret->token, sizeof ret->token) &&
	     read_one(query, "auth", both, sizeof both);
	if (!ok || both[0] == '\0')
		return ok;
	colon = strchr(both, ':');
	len = colon != NULL ? (size_t)(colon - both) : 0;
	ok = len > 0 && len < sizeof ret->login &&
	     strlen(colon + 1) < sizeof ret->password;
	if (ok) {
		memcpy(ret->login, both, len);
		ret->login[len] = '\0';
		(void)snprintf(ret->password, sizeof ret->password, "%s",
			       colon + 1);
	}
	explicit_bzero(both, sizeof both);
	return ok;
}

void viewer_credential_wipe(struct viewer_credential *c)
{
	explicit_bzero(c, sizeof *c);
}
