/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Password hashes of crypt(3); new hashes use yescrypt.
 *
 * A call takes tens of milliseconds and megabytes by design.  The auth worker
 * calls these functions.  The master calls them only where it may block: for
 * the first password and for --reset-password.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

enum {
	PASSWORD_HASH_MAX = 384,  /* bytes: CRYPT_OUTPUT_SIZE */
	PASSWORD_INPUT_MAX = 511, /* bytes: CRYPT_MAX_PASSPHRASE_SIZE - 1 */
};

/* Hashes with a new random salt; 0 or -errno. */
int password_hash(const char *password,
		  char ret[PASSWORD_HASH_MAX]) MUST_CHECK;

/* Does the password match the hash?  False also if hash is malformed. */
bool password_verify(const char *password, const char *hash);
