/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions of HLS that were closed: no worker serves their clients until they
 * have been silent for a while.  Pure.
 *
 * Embedded; zeroed memory is empty.  A new entry replaces the oldest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	CLOSED_SESSIONS_MAX = 1024,
	CLOSED_SESSION_MS = 35000, /* as a session without a request */
};

struct closed_sessions {
	unsigned next;
	struct closed_session {
		uint64_t key;
		uint64_t until_ms; /* 0: none */
	} list[CLOSED_SESSIONS_MAX];
};

void closed_sessions_add(struct closed_sessions *, uint64_t key,
			 uint64_t now_ms);
/* A request of the session: is it closed?  Then it stays so. */
bool closed_sessions_has(struct closed_sessions *, uint64_t key,
			 uint64_t now_ms);
