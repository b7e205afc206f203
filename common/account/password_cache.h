/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Remembers verified passwords for a minute, so that a client with Basic
 * authorization does not cost a password hash per request.
 *
 * A password is remembered for an hour at the address where it was used.  While
 * a lock (lockout.h) forbids checks, verified_has_there() compares passwords
 * from that address with the remembered one.  A client at the address can then
 * try five other passwords of that login in a minute, as many as without the
 * lock.
 *
 * The cache stores keyed hashes over login, password and stored hash, and over
 * login and address; the key is random and never leaves this process.  A
 * changed password has another stored hash, so the entry of the old password no
 * longer matches.  Pure: the caller passes the monotonic time.
 */
#pragma once

#include "common/account/secret.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	VERIFIED_LIFE_MS = 60 * 1000,
	VERIFIED_THERE_MS = 3600 * 1000,
	/* most wrong passwords in a minute of a login, from an address where
	 * its password was used */
	VERIFIED_MISSES_MAX = 5,
	VERIFIED_MAX = 1024,
};

struct verified;

struct credential_text {
	const char *login;
	const char *password;
	const char *cipher;  /* the stored hash */
	const char *address; /* address of the client */
};

/* Keyed hashes of a credential, which distinguish credentials without storing
 * them. */
struct verified_key {
	struct digest credential; /* hash of login, password and stored hash */
	struct digest place;      /* hash of login and address */
};

struct verified *verified_new(void);
/* NULL-safe; sets *v to NULL. */
void verified_free(struct verified **);

struct verified_key verified_key(const struct verified *,
				 const struct credential_text *);

bool verified_key_equal(const struct verified_key *,
			const struct verified_key *);

/* Was the credential verified within a minute, from any address? */
bool verified_has(const struct verified *, const struct verified_key *,
		  uint64_t now_ms);

/* Was the credential used at its address within an hour?  An answer of true
 * counts as a use.  Another password of a login that was used there is a miss,
 * unless it is the same as an earlier miss.  After VERIFIED_MISSES_MAX misses
 * the answer is false until the first of them is a minute old. */
bool verified_has_there(struct verified *, const struct verified_key *,
			uint64_t now_ms);

/* Stores a credential that was verified at now_ms; above VERIFIED_MAX it
 * replaces the one that was not used for longest. */
void verified_add(struct verified *, const struct verified_key *,
		  uint64_t now_ms);

/* Notes the use at its address of a credential for which verified_has() is
 * true. */
void verified_use(struct verified *, const struct verified_key *,
		  uint64_t now_ms);
