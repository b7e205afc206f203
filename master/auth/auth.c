/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/auth/auth.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/log_word.h"
#include "common/base/mono.h"
#include "common/base/ratelimit.h"
#include "master/auth/password_check.h"
#include "common/account/session.h"
#include "common/account/session_file.h"
#include "common/account/ws_token.h"
#include "master/config/check.h"
#include "master/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	LOG_BURST = 100,
	LOG_WINDOW_MS = 10000,
	/* Refusals that are logged in a minute: the page of an observer may
	 * cause one each second. */
	REFUSAL_BURST = 20,
	REFUSAL_WINDOW_MS = 60000,
	WHAT_SHOWN = 64, /* bytes of a command or path that the log shows */
};

struct auth {
	struct auth_config cfg;
	struct gate *gate;
	struct session_file *file;
	struct sessions *sessions; /* borrowed from the file */
	struct ws_tokens *tokens;
	struct ratelimit failures;
	struct ratelimit refusals;
	bool shut; /* the log has reported that no control user can log in */
};

static bool find_user(const struct auth *a, const char *login, struct user *u)
{
	return user_find(config_document(a->cfg.config), login, u);
}

struct auth *auth_new(const struct auth_config *cfg)
{
	struct auth *a = xcalloc(1, sizeof *a);

	a->cfg = *cfg;
	a->gate = gate_new(&(struct gate_config){
		.loop = cfg->loop,
		.proc = cfg->proc,
		.config = cfg->config,
	});
	a->file = session_file_open(cfg->loop, cfg->sessions_path);
	a->sessions = session_file_sessions(a->file);
	a->tokens = ws_tokens_new();
	a->failures.burst = LOG_BURST;
	a->failures.window_ms = LOG_WINDOW_MS;
	a->refusals.burst = REFUSAL_BURST;
	a->refusals.window_ms = REFUSAL_WINDOW_MS;
	/* first_start() reports a configuration without users */
	a->shut = user_none(config_document(cfg->config));
	/* ends sessions whose user has changed while sluice did not run */
	auth_users_changed(a);
	return a;
}

void auth_free(struct auth **ap)
{
	struct auth *a = *ap;

	*ap = NULL;
	if (a == NULL)
		return;
	gate_free(&a->gate);
	session_file_close(&a->file);
	ws_tokens_free(&a->tokens);
	free(a);
}

const char *auth_save_error(const struct auth *a)
{
	return session_file_error(a->file);
}

bool auth_is_saved(const struct auth *a)
{
	return session_file_is_saved(a->file);
}

struct gate *auth_gate(struct auth *a)
{
	return a->gate;
}

enum auth_entry auth_enter(const struct auth *a, const char *login,
			   struct caller *ret)
{
	struct user u;

	if (strlen(login) > USER_LOGIN_MAX || !find_user(a, login, &u) ||
	    !u.enabled)
		return ENTRY_DISABLED;
	if (!user_may_enter(&u))
		return ENTRY_REGULAR;
	(void)snprintf(ret->login, sizeof ret->login, "%s", login);
	ret->type = u.type;
	return ENTRY_YES;
}

/* True: the user exists, is enabled and has the password with this stamp
 * (user_stamp()). */
static bool is_current(const struct auth *a, const char *login,
		       const struct digest *stamp)
{
	struct digest now;
	struct user u;

	if (!find_user(a, login, &u))
		return false;
	now = user_stamp(&u);
	return u.enabled && digest_equal(&now, stamp);
}

bool auth_enter_session(const struct auth *a, const char *id,
			struct caller *ret)
{
	struct session s;

	if (!sessions_find(a->sessions, id, time(NULL), &s) ||
	    !is_current(a, s.login, &s.stamp) ||
	    auth_enter(a, s.login, ret) != ENTRY_YES)
		return false;
	(void)snprintf(ret->session, sizeof ret->session, "%s", id);
	return true;
}

void auth_open_session(struct auth *a, const char *login, bool remember,
		       char id[SECRET_TEXT])
{
	struct session s = { .login = login };
	struct user u = { 0 };

	(void)find_user(a, login, &u);
	s.stamp = user_stamp(&u);
	s.expires = time(NULL) +
		    (remember ? SESSION_REMEMBER_S : SESSION_DAY_S);
	sessions_open(a->sessions, &s, id);
	session_file_touch(a->file);
}

bool auth_close_session(struct auth *a, const char *id, save_done_fn *done,
			void *arg)
{
	if (!sessions_end(a->sessions, id))
		return false;
	session_file_touch(a->file);
	return session_file_catch_up(a->file, done, arg);
}

void auth_issue_token(struct auth *a, const char *login,
		      char token[SECRET_TEXT])
{
	struct ws_token owner = { .login = login };
	struct user u = { 0 };

	(void)find_user(a, login, &u);
	owner.stamp = user_stamp(&u);
	ws_tokens_issue(a->tokens, &owner, mono_ms(), token);
}

bool auth_redeem_token(struct auth *a, const char *token, struct caller *ret)
{
	struct ws_token owner;
	bool good;

	if (!ws_tokens_redeem(a->tokens, token, mono_ms(), &owner))
		return false;
	good = is_current(a, owner.login, &owner.stamp) &&
	       auth_enter(a, owner.login, ret) == ENTRY_YES;
	free((char *)owner.login);
	return good;
}

/* --- users --- */

static bool keep_session(const struct session *s, void *arg)
{
	return is_current(arg, s->login, &s->stamp);
}

static bool keep_token(const struct ws_token *t, void *arg)
{
	return is_current(arg, t->login, &t->stamp);
}

void auth_users_changed(struct auth *a)
{
	const struct config *config = a->cfg.config;
	struct errmsg warning;
	bool shut;

	if (sessions_sift(a->sessions, keep_session, a) > 0)
		session_file_touch(a->file);
	ws_tokens_sift(a->tokens, keep_token, a);

	/* logs, once, that no control user can log in */
	shut = !a->cfg.no_login &&
	       check_control_users(config_document(config),
				   config_path(config) != NULL, &warning);
	if (shut && !a->shut)
		log_warning("auth", "%s", warning.text);
	a->shut = shut;
}

void auth_log_refusal(struct auth *a, const struct caller *caller,
		      const char *what)
{
	char login[USER_LOGIN_MAX + 1], word[WHAT_SHOWN + 1], ip[IP_TEXT_MAX];
	unsigned suppressed;

	if (!ratelimit_pass(&a->refusals, mono_ms(), &suppressed))
		return;
	if (suppressed > 0)
		log_info("auth", "%u refused requests of observers were not "
				 "logged", suppressed);
	log_word(caller->login, login, sizeof login);
	log_word(what, word, sizeof word);
	ip_format(&caller->address, ip);
	log_info("auth", "%s refused: the user is an observer. Login:%s IP:%s",
		 word, login, ip);
}

void auth_log_failure(struct auth *a, const char *login,
		      const struct ip_address *address)
{
	char name[USER_LOGIN_MAX + 1], ip[IP_TEXT_MAX];
	unsigned suppressed;

	if (!ratelimit_pass(&a->failures, mono_ms(), &suppressed))
		return;
	if (suppressed > 0)
		log_warning("auth", "%u failed logins were not logged",
			    suppressed);
	/* cleaned, so that programs that read the log find only the real
	 * address behind it */
	log_word(login, name, sizeof name);
	ip_format(address, ip);
	log_warning("auth", "[main] Authentication failed. Login:%s IP:%s",
		    name, ip);
}
