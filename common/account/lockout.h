/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses from which passwords are guessed.
 *
 * Five failed checks within a minute lock an address until a minute after the
 * last of them.  While it is locked nothing is checked, so nothing extends
 * it.  A check that succeeds forgets the failures.  ip_client()
 * distinguishes addresses.  Bounded: the address that failed longest ago makes
 * room.  Pure: the caller passes the monotonic time.
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

/* How many checks may fail before it is locked; 0 when it is. */
unsigned lockout_room(const struct lockout *, const struct ip_address *,
		      uint64_t now_ms);

/* A check failed; true when the address is locked by it. */
bool lockout_fail(struct lockout *, const struct ip_address *,
		  uint64_t now_ms);
void lockout_succeed(struct lockout *, const struct ip_address *);
