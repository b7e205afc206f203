/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions of HLS, and players of variants, that were closed.  No worker serves
 * a client of them until the client has made no request for a while; this time
 * is shorter if a limit closed the session.  Pure.
 *
 * Embedded; zeroed memory is empty.  A new entry replaces the oldest.
 */
#pragma once

#include "proto/spec/io_spec.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	CLOSED_SESSIONS_MAX = 1024,
	/* Time after the last request until a closed session is forgotten; a
	 * session of HLS ends after the same time. */
	CLOSED_SESSION_MS = 35000,
	/* A session that a limit closed opens again after this time without a
	 * request: its client had paused, and returns.  Twice the usual target
	 * duration. */
	CLOSED_RETURN_MS = 2 * 1000 * HLS_DURATION_S,
};

struct closed_sessions {
	unsigned next;
	struct closed_session {
		uint64_t key;
		uint64_t until_ms; /* end of the entry; 0: the entry is free */
		uint64_t heard_ms; /* time of the last request */
		bool limit;
	} list[CLOSED_SESSIONS_MAX];
};

/* Adds a session or player (key).  limit: it was closed because of conlimit, in
 * favour of another viewer.  limit is ignored if the key was already closed for
 * another reason. */
void closed_sessions_add(struct closed_sessions *, uint64_t key, bool limit,
			 uint64_t now_ms);
/* Call it at each request of a session or player (key).  True: it is closed,
 * and stays closed for at least CLOSED_SESSION_MS from now, or, if a limit
 * closed it, CLOSED_RETURN_MS.  A session that a limit closed opens with the
 * first request after a pause of CLOSED_RETURN_MS. */
bool closed_sessions_has(struct closed_sessions *, uint64_t key,
			 uint64_t now_ms);
/* Returns the latest time at which an entry ends; 0: there is no entry. */
uint64_t closed_sessions_until(const struct closed_sessions *);
