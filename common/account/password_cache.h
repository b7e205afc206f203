/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Remembers verified passwords for a minute, so that a client with Basic
 * authorization does not cost a password hash per request.
 *
 * The cache stores a keyed hash over login, password and stored hash; the key
 * is random and never leaves this process.  A changed password has another
 * stored hash, so the entry of the old password no longer matches.
 * Pure: the caller passes the monotonic time.
 */
#pragma once

#include "common/base/util.h"
#include "common/account/secret.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	VERIFIED_LIFE_MS = 60 * 1000,
	VERIFIED_MAX = 256,
};

struct verified;

struct credential_text {
	const char *login;
	const char *password;
	const char *cipher; /* the stored hash */
};

struct verified *verified_new(void);
/* NULL-safe; sets *v to NULL. */
void verified_free(struct verified **);

/* The keyed hash distinguishes two credentials without storing either. */
struct digest verified_key(const struct verified *,
			   const struct credential_text *);

bool verified_has(const struct verified *, const struct digest *key,
		  uint64_t now_ms);

/* Stores a credential that was verified at now_ms; above VERIFIED_MAX it
 * replaces the oldest one. */
void verified_add(struct verified *, const struct digest *key,
		  uint64_t now_ms);
