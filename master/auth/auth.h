/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Authentication: sessions, tokens and passwords against the users of the
 * configuration, which are read for every check.
 *
 * Owns sessions, tokens and the gate; borrows the loop, the configuration and
 * the auth worker.
 */
#pragma once

#include "common/base/util.h"
#include "common/document/save.h"
#include "master/auth/caller.h"

#include <stdbool.h>

struct auth;
struct auth_proc;
struct config;
struct ev_loop;
struct gate;

struct auth_config {
	struct ev_loop *loop;
	struct config *config;
	struct auth_proc *proc;
	const char *sessions_path; /* NULL: sessions end with the process */
};

struct auth *auth_new(const struct auth_config *);
/* NULL-safe; sets *a to NULL.  No password may be under check. */
void auth_free(struct auth **);

struct gate *auth_gate(struct auth *);

/* Why the sessions are not on disk; NULL: they are, or are about to be. */
const char *auth_save_error(const struct auth *);
/* True when the sessions are on disk. */
bool auth_is_saved(const struct auth *);

enum auth_entry {
	ENTRY_YES,
	ENTRY_DISABLED, /* the user is disabled or was removed */
	ENTRY_REGULAR,  /* the type of the user may not log in */
};

/* Judges a user whose credential was right.  With ENTRY_YES *ret gets the login
 * and the type. */
enum auth_entry auth_enter(const struct auth *, const char *login,
			   struct caller *ret);

/* True when the session is valid; *ret gets login, type and session. */
bool auth_enter_session(const struct auth *, const char *id,
			struct caller *ret);

/* Opens a session for a user with ENTRY_YES; its id goes to id. */
void auth_open_session(struct auth *, const char *login, bool remember,
		       char id[SECRET_TEXT]);
/* Ends a session.  True: done is called (save.h) as soon as a file without the
 * session is written.  False: there is no such session, or no file. */
bool auth_close_session(struct auth *, const char *id, save_done_fn *done,
			void *arg);

/* Issues a token for one handshake. */
void auth_issue_token(struct auth *, const char *login,
		      char token[SECRET_TEXT]);
/* Removes the token; true when it was valid and its user may still enter: *ret
 * gets login and type. */
bool auth_redeem_token(struct auth *, const char *token, struct caller *ret);

/*
 * The users of the configuration changed: ends the sessions and tokens of
 * removed and disabled users and of users with another password, and logs the
 * users whose password has to be reset.  Call it after every change of the
 * section.
 */
void auth_users_changed(struct auth *);

/* Logs that a user may not do what was asked, 20 times in a minute.  what: a
 * command or a path, hostile. */
void auth_log_refusal(struct auth *, const struct caller *, const char *what);

/* Logs a wrong credential.  login is hostile. */
void auth_log_failure(struct auth *, const char *login,
		      const struct ip_address *);
