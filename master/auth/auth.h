/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Authentication by sessions, tokens and passwords.  Each check reads the users
 * of the configuration.
 *
 * Owns sessions, tokens and the struct gate (password_check.h); borrows the
 * loop, the configuration and the auth worker.
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
	bool no_login; /* --no-web-auth: no request needs a user */
};

struct auth *auth_new(const struct auth_config *);
/* NULL-safe; sets *a to NULL.  No password may be being checked. */
void auth_free(struct auth **);

struct gate *auth_gate(struct auth *);

/* Returns why the sessions could not be saved; NULL: they are on disk, or will
 * be soon. */
const char *auth_save_error(const struct auth *);
/* True: the sessions are on disk. */
bool auth_is_saved(const struct auth *);

enum auth_entry {
	ENTRY_YES,
	ENTRY_DISABLED, /* the user is disabled, or was removed */
	ENTRY_REGULAR,  /* a regular user, who may not log in */
};

/* Judges whether the user of a right credential may log in.  ENTRY_YES: *ret
 * gets the login and the type. */
enum auth_entry auth_enter(const struct auth *, const char *login,
			   struct caller *ret);

/* True: the session is valid; *ret gets login, type and session. */
bool auth_enter_session(const struct auth *, const char *id,
			struct caller *ret);

/* Opens a session for a user with ENTRY_YES; writes its id. */
void auth_open_session(struct auth *, const char *login, bool remember,
		       char id[SECRET_TEXT]);
/* Ends a session.  True: done (save.h) is called when the file without the
 * session is written.  False: there is no such session, or no file; done is not
 * called. */
bool auth_close_session(struct auth *, const char *id, save_done_fn *done,
			void *arg);

/* Makes a token for one handshake of the event channel. */
void auth_issue_token(struct auth *, const char *login,
		      char token[SECRET_TEXT]);
/* Removes a token.  True: it was valid, and its user may still log in; *ret
 * gets login and type. */
bool auth_redeem_token(struct auth *, const char *token, struct caller *ret);

/*
 * Call it after every change of the section `users': ends the sessions and
 * tokens of users who were removed or disabled, or have another password, and
 * logs that no control user can log in.
 */
void auth_users_changed(struct auth *);

/* Logs that a user has no permission for a request, at most 20 times in a
 * minute.  what: a command or a path, from the network. */
void auth_log_refusal(struct auth *, const struct caller *, const char *what);

/* Logs a wrong credential, at most 100 times in 10 s.  login comes from the
 * network. */
void auth_log_failure(struct auth *, const char *login,
		      const struct ip_address *);
