/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Password hashes: crypt(3), new ones with yescrypt.
 *
 * Slow on purpose (tens of milliseconds and megabytes each): never on the
 * loop of a process that has something else to do.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

enum {
	PASSWORD_HASH_MAX = 384,  /* CRYPT_OUTPUT_SIZE */
	PASSWORD_INPUT_MAX = 511, /* CRYPT_MAX_PASSPHRASE_SIZE - 1 */
};

/* A new salt each time; 0 or -errno. */
int password_hash(const char *password,
		  char ret[PASSWORD_HASH_MAX]) MUST_CHECK;

/* Does the password have this hash?  False too for what is no hash. */
bool password_verify(const char *password, const char *hash);
