/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the login sessions: the user of each session id, and its expiry.
 *
 * Only digests of the ids are kept.  Each session has a stamp of the password
 * with which it was opened (user_stamp()).  The session ends when the password
 * changes, also by an edit of the configuration file.  Times are Unix seconds:
 * a session outlives a restart.  Pure: no clock and no I/O.
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
	struct digest stamp; /* user_stamp() when the session was opened */
	int64_t expires; /* Unix time in seconds */
};

struct sessions;

struct sessions *sessions_new(void);
/* NULL-safe; sets *s to NULL. */
void sessions_free(struct sessions **);

/* Opens a copy of this session and writes its new id to text.  Above
 * SESSIONS_PER_LOGIN it replaces the session of the login that expires first;
 * in the same second, the one that was opened first. */
void sessions_open(struct sessions *, const struct session *,
		   char text[SECRET_TEXT]);

/* Finds the session with this id; false: there is none, or it has expired.
 * ret->login is borrowed. */
bool sessions_find(const struct sessions *, const char *text, int64_t now,
		   struct session *ret);

/* Ends the session with this id; false: there is none. */
bool sessions_end(struct sessions *, const char *text);

/* Ends the sessions for which keep() is false; returns their number. */
size_t sessions_sift(struct sessions *,
		     bool (*keep)(const struct session *, void *arg),
		     void *arg);

/* The sessions that have not expired, for the file; a new reference. */
json_t *sessions_encode(const struct sessions *, int64_t now);

/* Adds the sessions in the file.  Skips entries that are malformed or expired,
 * have the id of a known session, or expire later than SESSION_REMEMBER_S
 * allows; returns their number. */
size_t sessions_decode(struct sessions *, const json_t *file, int64_t now);
