/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/admit.h"

#include "master/auth/auth.h"
#include "common/account/credential.h"
#include "master/config/config.h"
#include "common/http/server.h"
#include "master/setup/options.h"

#include <stdio.h>
#include <string.h>

void admit_refuse(struct reply *reply, enum gate_answer answer)
{
	reply_reset(reply);
	switch (answer) {
	case GATE_LOCKED:
		reply_error(reply, 429, "too many wrong passwords came from "
					"this address, or for this login from "
					"several addresses: wait a minute");
		break;
	case GATE_BUSY:
		reply_error(reply, 503, "the password cannot be checked now: "
			    "try again");
		break;
	case GATE_RIGHT:
	case GATE_WRONG:
		reply_error(reply, 403, "login or password is wrong, or the "
			    "session is over");
		break;
	}
}

static void refuse(struct call *c, enum gate_answer answer)
{
	admit_refuse(&c->reply, answer);
	call_answer(c);
}

/* Refuses a request that has neither a right password nor a valid session. */
static void refuse_stranger(struct call *c, const struct credential *shown)
{
	if (shown->kind == CREDENTIAL_NONE &&
	    http_request_header(c->request, "cookie") == NULL) {
		reply_error(&c->reply, 403, "login needed: send login and "
			    "password (curl -u), or a session");
		call_answer(c);
	} else {
		refuse(c, GATE_WRONG);
	}
}

/* Continues the call if the password is right and the account may log in;
 * otherwise refuses it. */
static void enter(struct call *c, const char *login, enum gate_answer answer)
{
	struct auth *auth = c->api->cfg.auth;
	enum auth_entry entry = ENTRY_DISABLED;

	if (answer == GATE_RIGHT)
		entry = auth_enter(auth, login, &c->caller);
	if (answer == GATE_WRONG ||
	    (answer == GATE_RIGHT && entry == ENTRY_DISABLED))
		auth_log_failure(auth, login, &c->caller.address);
	if (entry == ENTRY_YES)
		c->go(c);
	else
		refuse(c, answer);
}

static void on_answer(enum gate_answer answer, void *arg)
{
	struct call *c = arg;
	char login[USER_LOGIN_MAX + 1];

	c->wait = NULL;
	/* admit() stored the login in the caller */
	(void)snprintf(login, sizeof login, "%s", c->caller.login);
	c->caller.login[0] = '\0';
	enter(c, login, answer);
}

/* True: a session admits the caller.  With a Bearer token the cookie is
 * ignored.  With a valid cookie, a Basic password is ignored. */
static bool enter_session(struct call *c, const struct credential *shown)
{
	const char *cookie = http_request_header(c->request, "cookie");
	struct auth *auth = c->api->cfg.auth;
	const char *session = shown->session;
	char id[SECRET_TEXT];

	if (shown->kind == CREDENTIAL_BAD)
		return false;
	if (shown->kind != CREDENTIAL_SESSION) {
		/* the cookie does not count for a page of another origin */
		if (c->listed || !credential_cookie(cookie, id))
			return false;
		session = id;
	}
	if (!auth_enter_session(auth, session, &c->caller))
		return false;
	/* also after a restart: the user may log in from this address even
	 * while the login is locked */
	gate_keep(auth_gate(auth), c->caller.login, &c->caller.address);
	return true;
}

void admit(struct call *c, void (*go)(struct call *))
{
	struct credential shown;
	struct gate_question q;
	enum gate_answer answer;
	struct gate *gate;

	c->go = go;
	if (c->api->cfg.options->no_web_auth) {
		(void)snprintf(c->caller.login, sizeof c->caller.login, "-");
		c->caller.type = USER_CONTROL;
		go(c);
		return;
	}
	credential_read(http_request_header(c->request, "authorization"),
			&shown);
	gate = auth_gate(c->api->cfg.auth);
	q = (struct gate_question){ shown.login, shown.password,
				    &c->caller.address, GATE_CONTROL };
	if (enter_session(c, &shown)) {
		go(c);
	} else if (shown.kind != CREDENTIAL_BASIC) {
		refuse_stranger(c, &shown);
	} else if (gate_knows(gate, &q, &answer)) {
		enter(c, shown.login, answer);
	} else {
		/* on_answer() reads the login from the caller */
		(void)snprintf(c->caller.login, sizeof c->caller.login, "%s",
			       shown.login);
		c->wait = gate_ask(gate, &q, on_answer, c);
		if (c->wait == NULL)
			refuse(c, GATE_BUSY);
	}
	credential_wipe(&shown);
}
