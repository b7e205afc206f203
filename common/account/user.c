/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/user.h"

#include "common/base/utf8.h"

#include <string.h>

enum { OLD_LEN = 32 };

struct user user_read(const json_t *entry)
{
	const json_t *type = json_object_get(entry, "type");
	struct user u = {
		.enabled = json_is_true(json_object_get(entry, "enable")),
		.cipher = json_string_value(json_object_get(entry, "cipher")),
	};

	for (int t = USER_CONTROL; t <= USER_REGULAR; t++)
		if (json_is_number(type) && json_number_value(type) == t)
			u.type = t;
	return u;
}

bool user_find(const json_t *document, const char *login, struct user *ret)
{
	const json_t *entry = json_object_get(
		json_object_get(document, "users"), login);

	if (!json_is_object(entry))
		return false;
	*ret = user_read(entry);
	return true;
}

enum user_cipher user_cipher(const struct user *u)
{
	if (u->cipher == NULL)
		return CIPHER_NONE;
	if (u->cipher[0] == '$')
		return CIPHER_CRYPT;
	if (strlen(u->cipher) == OLD_LEN &&
	    strspn(u->cipher, "0123456789abcdefABCDEF") == OLD_LEN)
		return CIPHER_OLD;
	return CIPHER_NONE;
}

bool user_may_enter(const struct user *u)
{
	return u->enabled &&
	       (u->type == USER_CONTROL || u->type == USER_OBSERVER);
}

bool user_may_control(const struct user *u)
{
	return u->enabled && u->type == USER_CONTROL &&
	       user_cipher(u) == CIPHER_CRYPT;
}

bool user_login_is_valid(const char *login)
{
	size_t len = strlen(login);

	for (const char *c = login; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	return len > 0 && len <= USER_LOGIN_MAX && utf8_is_valid(login, len);
}

struct digest user_stamp(const struct user *u)
{
	return digest_of(u->cipher != NULL ? u->cipher : "");
}

bool user_none(const json_t *document)
{
	return json_object_size(json_object_get(document, "users")) == 0;
}

bool user_locked_out(const json_t *document)
{
	json_t *users = json_object_get(document, "users"), *entry;
	const char *login;
	struct user u;

	json_object_foreach(users, login, entry)
		if (user_find(document, login, &u) && user_may_control(&u))
			return false;
	return !user_none(document);
}
