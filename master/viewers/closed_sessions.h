/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions of HLS, and players of variants, that were closed.  No worker serves
 * their clients until they have made no request for a while; this time is
 * shorter if a limit closed the session.  Pure.
 *
 * Embedded; zeroed memory is empty.  A new entry replaces the oldest.
 */
#pragma once

#include "proto/spec/io_spec.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	CLOSED_SESSIONS_MAX = 1024,
	/* after the last request, as for a session */
	CLOSED_SESSION_MS = 35000,
	/* A session that a limit closed opens after so long without a request:
	 * the client had paused, and returns.  Twice the usual target
	 * duration. */
	CLOSED_RETURN_MS = 2 * 1000 * HLS_DURATION_S,
};

struct closed_sessions {
	unsigned next;
	struct closed_session {
		uint64_t key;
		uint64_t until_ms; /* end of the entry; 0: it is free */
		uint64_t heard_ms; /* time of the last request */
		bool limit;
	} list[CLOSED_SESSIONS_MAX];
};

/* Adds a session or player (key).  limit: it was closed because another viewer
 * has its place; ignored if it is closed already for another reason. */
void closed_sessions_add(struct closed_sessions *, uint64_t key, bool limit,
			 uint64_t now_ms);
/* Call it at each request of a session.  True: the session is closed, and stays
 * so for CLOSED_SESSION_MS more.  A session that a limit closed opens again
 * after CLOSED_RETURN_MS without a request. */
bool closed_sessions_has(struct closed_sessions *, uint64_t key,
			 uint64_t now_ms);
/* Returns the time at which the last entry ends; 0: there is none. */
uint64_t closed_sessions_until(const struct closed_sessions *);
