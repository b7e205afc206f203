/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locks addresses from which passwords are guessed, and logins whose passwords
 * are guessed.
 *
 * Five failed checks within a minute lock an address until a minute after the
 * last of them.  Twenty failed checks of a login within a minute lock the login
 * in the same way, also if they come from different addresses; the failure that
 * locks an address counts for the login too.  Each door (the control
 * interface or the viewers) has locks of its own: guesses at one door lock no
 * client out of the other door.
 *
 * The owner of a locked login can still log in from the addresses from which
 * the login was used before (lockout_keep()); a locked address is locked for
 * every login.  While an address or a login is locked its passwords are not
 * checked, so the lock is not extended.  A failure counts for a minute.  A
 * successful check deletes the failures of its own login from its own address,
 * and no others: a user cannot guess the password of another.
 *
 * ip_client() distinguishes addresses.  When a table is full, a new entry
 * replaces the entry that failed longest ago.  Pure: the caller passes the
 * monotonic time.
 */
#pragma once

#include "common/account/secret.h"
#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	/* failed checks in a minute that lock an address */
	LOCKOUT_FAILURES = 5,
	/* failed checks in a minute that lock a login */
	LOCKOUT_LOGIN_FAILURES = 20,
	LOCKOUT_DOORS = 2,
	LOCKOUT_WINDOW_MS = 60 * 1000,
	/* most entries of a table; each door has a table of addresses and one
	 * of logins */
	LOCKOUT_ENTRIES_MAX = 4096,
	/* pairs of a login and an address of lockout_keep() */
	LOCKOUT_PLACES_MAX = 256,
};

struct lockout;

/* A check of a password of login, for a client at address.  Both are borrowed
 * for the call. */
struct lockout_try {
	const struct ip_address *address;
	/* as the client sent it: any text, perhaps of no user */
	const char *login;
	unsigned door; /* door where the password is checked, < LOCKOUT_DOORS */
};

struct lockout *lockout_new(void);
/* NULL-safe; sets *l to NULL. */
void lockout_free(struct lockout **);

bool lockout_is_locked(const struct lockout *, const struct lockout_try *,
		       uint64_t now_ms);

/* The number of checks that may still fail before the address (lockout_room())
 * or the login (lockout_login_room()) is locked; 0 while it is locked.  The
 * login always has LOCKOUT_LOGIN_FAILURES at an address of lockout_keep(). */
unsigned lockout_room(const struct lockout *, const struct lockout_try *,
		      uint64_t now_ms);
unsigned lockout_login_room(const struct lockout *, const struct lockout_try *,
			    uint64_t now_ms);

/* Bits of lockout_fail(): what a failure has locked. */
enum { LOCKOUT_ADDRESS = 1, LOCKOUT_LOGIN = 2 };

/* Counts a failed check; returns the bits of what it has locked, 0: nothing.
 * Counts nothing while the address or the login is locked. */
unsigned lockout_fail(struct lockout *, const struct lockout_try *,
		      uint64_t now_ms);
/* Notes a successful check: deletes the failures of this login from the counts
 * of this address, at all doors.  The count of the login stays. */
void lockout_succeed(struct lockout *, const struct lockout_try *);
/* Lets the login be used from this address even while the login is locked.
 * Above LOCKOUT_PLACES_MAX such pairs the new one replaces the oldest, so do
 * not call this for users that may not log in at all. */
void lockout_keep(struct lockout *, const struct lockout_try *);
