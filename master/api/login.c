/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands login, logout, whoami and ws-token. */
#include "common/base/alloc.h"
#include "master/api/admit.h"
#include "master/api/held_answer.h"
#include "master/auth/auth.h"
#include "common/account/credential.h"
#include "master/auth/password_check.h"
#include "common/account/session.h"
#include "master/setup/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command login whose password is being checked. */
struct login {
	struct call *call;
	struct gate_wait *wait;
	char *name;
	bool remember;
};

static void login_free(void *arg)
{
	struct login *l = arg;

	gate_forget(&l->wait);
	free(l->name);
	free(l);
}

static void reply_caller_is(struct reply *reply, const char *login, int type)
{
	json_t *body = json_object();

	(void)json_object_set_new(body, "login", json_string(login));
	(void)json_object_set_new(body, "type", json_integer(type));
	reply_json(reply, body);
}

/* Adds the header with the session cookie.  more: further attributes, such as
 * "; Max-Age=0"; "": none. */
static void set_cookie(struct reply *reply, const char *id, const char *more)
{
	const struct call *call = reply->call;
	const char *path = call->api->prefix;
	char *value;

	/* a prefix with bytes that a cookie path cannot have: all paths */
	for (const char *c = path; *c != '\0'; c++)
		if ((unsigned char)*c <= ' ' || *c == ';' || *c == ',' ||
		    (unsigned char)*c >= 0x7f) {
			path = "/";
			break;
		}
	value = xasprintf(SESSION_COOKIE "=%s; Path=%s; HttpOnly; "
			  "SameSite=Lax%s%s", id, path,
			  call->caller.secure ? "; Secure" : "", more);
	reply_header(reply, "Set-Cookie", value);
	explicit_bzero(value, strlen(value));
	free(value);
}

/* Fills the reply of login when the password was checked. */
static void conclude(struct call *c, const char *login, bool remember,
		     enum gate_answer answer)
{
	struct auth *auth = c->api->cfg.auth;
	enum auth_entry entry = ENTRY_DISABLED;
	char id[SECRET_TEXT], age[32] = "";

	if (answer == GATE_RIGHT)
		entry = auth_enter(auth, login, &c->caller);
	if (entry == ENTRY_YES) {
		auth_open_session(auth, login, remember, id);
		if (remember)
			(void)snprintf(age, sizeof age, "; Max-Age=%d",
				       (int)SESSION_REMEMBER_S);
		set_cookie(&c->reply, id, age);
		reply_caller_is(&c->reply, c->caller.login, c->caller.type);
		explicit_bzero(id, sizeof id);
		return;
	}
	/* not logged: the right password of a regular user, who may not log
	 * in */
	if (answer == GATE_WRONG ||
	    (answer == GATE_RIGHT && entry == ENTRY_DISABLED))
		auth_log_failure(auth, login, &c->caller.address);
	admit_refuse(&c->reply, answer);
}

static void on_answer(enum gate_answer answer, void *arg)
{
	struct login *l = arg;
	struct call *c = l->call;

	l->wait = NULL;
	conclude(c, l->name, l->remember, answer);
	login_free(l);
	call_finish(c);
}

static void login_login(struct api *api, const json_t *request,
			struct reply *reply)
{
	const json_t *login = json_object_get(request, "login");
	const json_t *password = json_object_get(request, "password");
	const json_t *remember = json_object_get(request, "remember");
	struct call *c = reply->call;
	const struct gate_question q = { json_string_value(login),
					 json_string_value(password),
					 &c->caller.address, GATE_CONTROL };
	enum gate_answer answer;
	struct login *l;

	if (q.login == NULL || q.password == NULL) {
		reply->status = 400; /* 400 without a body, by specification */
	} else if (remember != NULL && !json_is_boolean(remember) &&
		   !json_is_null(remember)) {
		reply_error(reply, 400, "remember: is not true or false");
	} else if (api->cfg.options->no_web_auth) {
		reply_caller_is(reply, "-", USER_CONTROL);
	} else if (gate_knows(auth_gate(api->cfg.auth), &q, &answer)) {
		conclude(c, q.login, json_is_true(remember), answer);
	} else {
		l = xcalloc(1, sizeof *l);
		l->name = xstrdup(q.login);
		l->remember = json_is_true(remember);
		l->wait = gate_ask(auth_gate(api->cfg.auth), &q, on_answer, l);
		if (l->wait != NULL) {
			l->call = reply_later(reply, login_free, l);
		} else {
			login_free(l);
			admit_refuse(reply, GATE_BUSY);
		}
	}
	/* wipes the password, which is not needed any more */
	if (q.password != NULL)
		explicit_bzero((char *)json_string_value(password),
			       json_string_length(password));
}

/* Answers logout when the end of the session is saved, so that the session is
 * not valid again after a crash. */
static void login_logout(struct api *api, const json_t *request,
			 struct reply *reply)
{
	const struct caller *caller = reply_caller(reply);
	struct held_answer *held;

	(void)request;
	set_cookie(reply, "", "; Max-Age=0");
	reply_json(reply, json_object());
	if (caller->session[0] == '\0')
		return;
	held = held_answer_new(reply->call);
	if (!auth_close_session(api->cfg.auth, caller->session,
				held_answer_saved, held))
		held_answer_free(&held);
}

static void login_whoami(struct api *api, const json_t *request,
			 struct reply *reply)
{
	const struct caller *caller = reply_caller(reply);

	(void)api, (void)request;
	reply_caller_is(reply, caller->login, caller->type);
}

static void login_ws_token(struct api *api, const json_t *request,
			   struct reply *reply)
{
	json_t *body = json_object();
	char token[SECRET_TEXT];

	(void)request;
	auth_issue_token(api->cfg.auth, reply_caller(reply)->login, token);
	(void)json_object_set_new(body, "token", json_string(token));
	explicit_bzero(token, sizeof token);
	reply_json(reply, body);
}

const struct api_command login_commands[] = {
	{ "login", login_login, OBSERVER_ALLOWED, 0 },
	{ "logout", login_logout, OBSERVER_ALLOWED, 0 },
	{ "whoami", login_whoami, OBSERVER_ALLOWED, 0 },
	{ "ws-token", login_ws_token, OBSERVER_ALLOWED, 0 },
	{ 0 },
};
