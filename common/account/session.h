/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The login sessions: who holds which session id, and until when.
 *
 * Only digests of the ids are kept.  Besides the login a session holds a stamp
 * of the password it was opened with, so that it ends with that password,
 * however it was changed.  Times are Unix seconds: a session outlives a
 * restart.  Pure: no clock and no I/O.
 */
#pragma once

#include "common/base/util.h"
#include "common/account/secret.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SESSION_DAY_S = 24 * 3600,
	SESSION_REMEMBER_S = 30 * 24 * 3600,
	SESSIONS_PER_LOGIN = 16,
};

struct session {
	const char *login;
	struct digest stamp;
	int64_t expires;
};

struct sessions;

struct sessions *sessions_new(void);
/* NULL-safe; sets *s to NULL. */
void sessions_free(struct sessions **);

/* Opens a session as described; its id goes to text.  A 17th of the login
 * takes the place of the one closest to its end. */
void sessions_open(struct sessions *, const struct session *,
		   char text[SECRET_TEXT]);

/* The session with this id; false when there is none or it is over. */
bool sessions_find(const struct sessions *, const char *text, int64_t now,
		   struct session *ret);

/* Ends the session with this id; false when there is none. */
bool sessions_end(struct sessions *, const char *text);

/* Ends those that keep() does not want; returns how many. */
size_t sessions_sift(struct sessions *,
		     bool (*keep)(const struct session *, void *arg),
		     void *arg);

/* All that are not over, for the file; a new reference. */
json_t *sessions_encode(const struct sessions *, int64_t now);

/* Adds what the file says; what is no sound entry, or over, is left out.
 * Returns how many it left out. */
size_t sessions_decode(struct sessions *, const json_t *file, int64_t now);
