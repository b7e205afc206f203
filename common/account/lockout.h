/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses from which passwords are guessed.
 *
 * Five failed checks within a minute lock an address until a minute after the
 * last of them.  While an address is locked its passwords are not checked, so
 * the lock is not extended.  A successful check deletes the failures.
 * ip_client() distinguishes addresses.  When the table is full, a new address
 * replaces the address that failed longest ago.  Pure: the caller passes the
 * monotonic time.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	LOCKOUT_FAILURES = 5,
	LOCKOUT_WINDOW_MS = 60 * 1000,
	LOCKOUT_ADDRESSES_MAX = 4096,
};

struct lockout;

struct lockout *lockout_new(void);
/* NULL-safe; sets *l to NULL. */
void lockout_free(struct lockout **);

bool lockout_is_locked(const struct lockout *, const struct ip_address *,
		       uint64_t now_ms);

/* The number of checks that may still fail before the address is locked; 0
 * while it is locked. */
unsigned lockout_room(const struct lockout *, const struct ip_address *,
		      uint64_t now_ms);

/* Counts a failed check; true when this failure locks the address. */
bool lockout_fail(struct lockout *, const struct ip_address *,
		  uint64_t now_ms);
void lockout_succeed(struct lockout *, const struct ip_address *);
