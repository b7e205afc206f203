/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions of HLS, and players of variants, that were closed: no worker serves
 * their clients until they have been silent for a while, one that a limit
 * closed for a shorter while.
 * Pure.
 *
 * Embedded; zeroed memory is empty.  A new entry replaces the oldest.
 */
#pragma once

#include "proto/spec/io_spec.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	CLOSED_SESSIONS_MAX = 1024,
	CLOSED_SESSION_MS = 35000, /* as a session without a request */
	/* no request for so long: the client had left, and returns.  Twice the
	 * usual target duration. */
	CLOSED_RETURN_MS = 2 * 1000 * HLS_DURATION_S,
};

struct closed_sessions {
	unsigned next;
	struct closed_session {
		uint64_t key;
		uint64_t until_ms; /* 0: none */
		uint64_t heard_ms; /* the last request */
		bool limit;
	} list[CLOSED_SESSIONS_MAX];
};

/* limit: because another viewer has its place. */
void closed_sessions_add(struct closed_sessions *, uint64_t key, bool limit,
			 uint64_t now_ms);
/* Call at each request of a session: is it closed?  Each request prolongs that.
 * A session that a limit closed opens again after CLOSED_RETURN_MS without a
 * request. */
bool closed_sessions_has(struct closed_sessions *, uint64_t key,
			 uint64_t now_ms);
/* The time at which the last of them ends; 0: there are none. */
uint64_t closed_sessions_until(const struct closed_sessions *);
