/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the users of the section `users` of the configuration.
 *
 * The module has no state: every call reads the document, so a change takes
 * effect with the next request.
 */
#pragma once

#include "common/base/util.h"
#include "common/account/secret.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	USER_CONTROL = 1,  /* may read and change everything */
	USER_OBSERVER = 2, /* may read everything, but change nothing */
	USER_REGULAR = 3,  /* may watch streams, but not use the control API */

	USER_LOGIN_MAX = 128, /* bytes */
};

enum user_cipher {
	CIPHER_NONE,
	CIPHER_CRYPT, /* a crypt(3) string */
	/* 32 hex characters, imported from another product; no password matches
	 * them, because their algorithm is not public */
	CIPHER_OLD,
};

struct user {
	bool enabled;
	int type;           /* USER_CONTROL to USER_REGULAR; 0: unknown type */
	/* stored hash, borrowed from the document; NULL: none */
	const char *cipher;
};

/* Reads an entry of the section users, which the result borrows. */
struct user user_read(const json_t *entry);

/* Finds the user with this login; false: the document has no such user. */
bool user_find(const json_t *document, const char *login, struct user *ret);

enum user_cipher user_cipher(const struct user *);

/* True for an enabled user whose type may use the control API. */
bool user_may_enter(const struct user *);

/* True for an enabled control user with a crypt(3) password. */
bool user_may_control(const struct user *);

/* The digest of the stored hash, or of "" if there is none.  A session keeps it
 * as its stamp, and ends when it changes. */
struct digest user_stamp(const struct user *);

/* True when the document has no user. */
bool user_none(const json_t *document);

/* True for 1 to USER_LOGIN_MAX bytes of UTF-8 without control characters. */
bool user_login_is_valid(const char *login);

/* True when the document has users, but user_may_control() is false for each of
 * them.  Through the API no user can then get a password; --reset-password can
 * set one. */
bool user_locked_out(const json_t *document);
