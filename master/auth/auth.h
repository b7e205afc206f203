/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Authentication: sessions, tokens and passwords against the users of the
 * configuration, which are read for every question.
 *
 * Owns sessions, tokens and the gate; borrows the loop, the configuration and
 * the auth worker.
 */
#pragma once

#include "common/base/util.h"
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

/* The sessions are on disk. */
bool auth_is_saved(const struct auth *);

enum auth_entry {
	ENTRY_YES,
	ENTRY_DISABLED, /* or there is no such user any more */
	ENTRY_REGULAR,  /* of a type that never enters */
};

/* May the user, whose credential was right, come in?  With ENTRY_YES his
 * login and type stand in ret. */
enum auth_entry auth_enter(const struct auth *, const char *login,
			   struct caller *ret);

/* Lets in whoever holds this session; login, type and session stand in ret. */
bool auth_enter_session(const struct auth *, const char *id,
			struct caller *ret);

/* A session for a user who may enter. */
void auth_open_session(struct auth *, const char *login, bool remember,
		       char id[SECRET_TEXT]);
void auth_close_session(struct auth *, const char *id);

/* A token for one handshake. */
void auth_issue_token(struct auth *, const char *login,
		      char token[SECRET_TEXT]);
/* Takes it; true when it was good and its user may still enter. */
bool auth_redeem_token(struct auth *, const char *token);

/*
 * The users of the configuration changed: ends the sessions and tokens of
 * those who are gone, disabled or have another password, and names those whose
 * password has to be reset.  Call it after every change of the section.
 */
void auth_users_changed(struct auth *);

/* The line for a credential that was not right.  login is hostile. */
void auth_log_failure(struct auth *, const char *login,
		      const struct ip_address *);
