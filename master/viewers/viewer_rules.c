/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/viewer_rules.h"

#include "common/base/alloc.h"
#include "master/viewers/ip_set.h"
#include "master/viewers/secure_token.h"
#include "master/viewers/token_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct viewer_rules {
	bool enabled;
	bool has_backend;
	struct ip_set deny, allow;
	struct token_index *denied_tokens;
	struct token_index *tokens; /* the tokens of users */
	json_t *token_of; /* {login: token}: the content of tokens */
	/* the setting securetoken; "": no secure tokens */
	char secret[VIEWER_SECRET_MAX];
};

struct viewer_rules *viewer_rules_new(void)
{
	struct viewer_rules *r = xcalloc(1, sizeof *r);

	/* denies every viewer until the first document is read */
	r->enabled = true;
	r->denied_tokens = token_index_new();
	r->tokens = token_index_new();
	r->token_of = json_object();
	return r;
}

void viewer_rules_free(struct viewer_rules **rp)
{
	struct viewer_rules *r = *rp;

	*rp = NULL;
	if (r == NULL)
		return;
	ip_set_done(&r->deny);
	ip_set_done(&r->allow);
	token_index_free(&r->denied_tokens);
	token_index_free(&r->tokens);
	json_decref(r->token_of);
	explicit_bzero(r->secret, sizeof r->secret);
	free(r);
}

/* --- reading --- */

void viewer_rules_read_user(struct viewer_rules *r, const char *login,
			    const json_t *entry)
{
	const char *old = json_string_value(
		json_object_get(r->token_of, login));
	json_t *token = json_object_get(entry, "token");

	if (old != NULL)
		token_index_remove(r->tokens, old, login);
	(void)json_object_del(r->token_of, login);
	if (json_string_length(token) == 0)
		return;
	token_index_put(r->tokens, json_string_value(token), login);
	(void)json_object_set(r->token_of, login, token);
}

static void read_tokens(struct viewer_rules *r, const json_t *users,
			const json_t *denied)
{
	const char *login;
	const json_t *item;
	json_t *user;
	size_t i;

	token_index_free(&r->denied_tokens);
	token_index_free(&r->tokens);
	r->denied_tokens = token_index_new();
	r->tokens = token_index_new();
	(void)json_object_clear(r->token_of);
	json_object_foreach((json_t *)(uintptr_t)users, login, user)
		viewer_rules_read_user(r, login, user);
	json_array_foreach((json_t *)(uintptr_t)denied, i, item)
		if (json_string_length(item) > 0)
			token_index_put(r->denied_tokens,
					json_string_value(item), "");
}

void viewer_rules_read(struct viewer_rules *r, const json_t *document)
{
	const json_t *auth = json_object_get(document, "auth");
	const json_t *enable = json_object_get(auth, "enable");
	const json_t *secret = json_object_get(auth, "securetoken");
	char url[VIEWER_URL_MAX];
	struct errmsg error;

	/* a value that is no boolean counts as true: it may be meant so */
	r->enabled = enable != NULL && !json_is_false(enable) &&
		     !json_is_null(enable);
	ip_set_done(&r->deny);
	ip_set_done(&r->allow);
	ip_set_init(&r->deny, json_object_get(auth, "http_ip_deny"));
	ip_set_init(&r->allow, json_object_get(auth, "http_ip_allow"));
	read_tokens(r, json_object_get(document, "users"),
		    json_object_get(auth, "http_token_deny"));
	r->secret[0] = '\0';
	if (json_is_integer(secret))
		(void)snprintf(r->secret, sizeof r->secret,
			       "%" JSON_INTEGER_FORMAT,
			       json_integer_value(secret));
	else if (json_string_length(secret) < sizeof r->secret)
		(void)snprintf(r->secret, sizeof r->secret, "%s",
			       json_is_string(secret)
				       ? json_string_value(secret) : "");
	r->has_backend = viewer_backend_url(auth, url, &error) == 0 &&
			 url[0] != '\0';
}

bool viewer_rules_enabled(const struct viewer_rules *r)
{
	return r->enabled;
}

bool viewer_rules_deny_address(const struct viewer_rules *r,
			       const struct ip_address *address)
{
	return r->enabled && ip_set_has(&r->deny, address);
}

/* --- judging --- */

static void deny(struct viewer_verdict *v, const char *reason)
{
	v->answer = VIEWER_DENIED;
	v->reason = reason;
}

/* True: a package of the user contains the stream, or the user has no packages
 * or an empty list. */
static bool has_package(const json_t *packages, const json_t *stream)
{
	const json_t *groups = json_object_get(stream, "groups");
	const json_t *item;
	size_t i;

	if (packages == NULL || json_is_null(packages))
		return true;
	if (!json_is_array(packages))
		return false;
	json_array_foreach((json_t *)(uintptr_t)packages, i, item) {
		const char *name = json_string_value(item);

		if (name != NULL &&
		    (strcmp(name, "ALL") == 0 ||
		     json_string_length(json_object_get(groups, name)) > 0))
			return true;
	}
	return json_array_size(packages) == 0;
}

static bool has_address(const json_t *ip, const struct ip_address *address)
{
	struct ip_prefix prefix;

	if (ip == NULL || json_is_null(ip) ||
	    (json_is_string(ip) && json_string_length(ip) == 0))
		return true;
	return json_is_string(ip) &&
	       ip_prefix_parse(json_string_value(ip), &prefix) == 0 &&
	       ip_prefix_has(&prefix, address);
}

/* Returns a number, or the number in a string of digits; 0: absent, null or "";
 * -1: another value. */
static int64_t number_of(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t len = json_string_length(value);

	if (value == NULL || json_is_null(value))
		return 0;
	if (json_is_number(value))
		return json_number_value(value) >= 0 &&
		       json_number_value(value) < 1e15
			       ? (int64_t)json_number_value(value) : -1;
	if (text == NULL || strspn(text, "0123456789") != len || len > 15)
		return -1;
	return len > 0 ? strtoll(text, NULL, 10) : 0;
}

/* Judges the user of a login whose token or password was right. */
static void judge_user(const struct viewer_question *q, const char *login,
		       struct viewer_verdict *v)
{
	const json_t *user = json_object_get(
		json_object_get(q->document, "users"), login);
	int64_t expire = number_of(json_object_get(user, "expire"));
	int64_t limit = number_of(json_object_get(user, "conlimit"));

	v->login = login;
	if (!json_is_true(json_object_get(user, "enable")))
		deny(v, "the user is disabled");
	else if (!has_address(json_object_get(user, "ip"), &q->address))
		deny(v, "the user may not watch from this address");
	else if (expire < 0 || (expire > 0 && q->now_s >= expire))
		deny(v, "the access of the user has expired");
	else if (!has_package(json_object_get(user, "packages"), q->stream))
		deny(v, "the stream is in no package of the user");
	else if (limit < 0)
		deny(v, "conlimit of the user is not a number from 0 on");
	else
		*v = (struct viewer_verdict){
			.answer = VIEWER_ALLOWED,
			.reason = "",
			.login = login,
			.limit = (unsigned)MIN(limit, (int64_t)INT32_MAX),
			.until_s = expire,
		};
}

/* Judges a token.  True: the verdict is final.  False: no rule matches. */
static bool judge_token(const struct viewer_rules *r,
			const struct viewer_question *q,
			struct viewer_verdict *v)
{
	const char *token = q->credential->token, *login;
	char address[IP_TEXT_MAX];
	struct secure_token_question secure = {
		.secret = r->secret,
		.token = token,
		.stream = q->stream_id,
		.address = address,
		.now_s = q->now_s,
	};

	ip_format(&q->address, address);
	if (token_index_find(r->denied_tokens, token) != NULL) {
		deny(v, "the token is in http_token_deny");
		return true;
	}
	switch (r->secret[0] != '\0'
			? secure_token_check(&secure, &v->until_s)
			: SECURE_TOKEN_NONE) {
	case SECURE_TOKEN_VALID:
		v->answer = VIEWER_ALLOWED;
		return true;
	case SECURE_TOKEN_WRONG:
		deny(v, "the secure token does not match the viewer, the "
			"stream or securetoken");
		return true;
	case SECURE_TOKEN_EXPIRED:
		deny(v, "the secure token has expired");
		return true;
	case SECURE_TOKEN_EARLY:
		deny(v, "the secure token is not valid yet");
		return true;
	case SECURE_TOKEN_NONE:
		break;
	}
	login = token_index_find(r->tokens, token);
	if (login != NULL)
		judge_user(q, login, v);
	return login != NULL;
}

/* Judges a login.  True: v has the verdict, which is VIEWER_NEEDS_PASSWORD
 * before the check of the password.  False: the backend decides. */
static bool judge_password(const struct viewer_rules *r,
			   const struct viewer_question *q,
			   struct viewer_verdict *v)
{
	const char *login = q->credential->login;
	bool known = json_object_get(json_object_get(q->document, "users"),
				     login) != NULL;

	/* without a backend, the password of an unknown login is checked as
	 * well, so that the time does not show whether the login exists */
	if (!known && r->has_backend)
		return false;
	v->login = login;
	if (!q->password_right)
		v->answer = VIEWER_NEEDS_PASSWORD;
	else
		judge_user(q, login, v);
	return true;
}

void viewer_rules_judge(const struct viewer_rules *r,
			const struct viewer_question *q,
			struct viewer_verdict *v)
{
	*v = (struct viewer_verdict){ .answer = VIEWER_ALLOWED, .reason = "",
				      .login = "" };
	if (!r->enabled)
		return;
	if (q->stream == NULL) {
		deny(v, "there is no such stream");
		return;
	}
	if (ip_set_has(&r->deny, &q->address)) {
		deny(v, "the address is in http_ip_deny");
		return;
	}
	if (ip_set_has(&r->allow, &q->address))
		return;
	if (q->credential == NULL) {
		deny(v, "token or auth is malformed");
		return;
	}
	if (q->credential->token[0] != '\0' && judge_token(r, q, v))
		return;
	if (q->credential->login[0] != '\0' && judge_password(r, q, v))
		return;
	if (r->has_backend)
		v->answer = VIEWER_NEEDS_BACKEND;
	else
		deny(v, q->credential->token[0] != '\0'
			? "the token is unknown" : "the request has no token");
}
