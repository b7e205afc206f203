/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command set-user: create, change, remove; an observer's own password. */
#include "common/base/alloc.h"
#include "master/api/edit.h"
#include "master/api/users.h"
#include "master/auth/auth.h"
#include "common/account/credential.h"
#include "master/config/config.h"
#include "master/config/judge.h"
#include "common/supervise/auth_proc.h"
#include "master/streams/reconciler.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A change whose password is being hashed. */
struct change {
	struct api *api;
	struct call *call;
	struct auth_job *job;
	char *login;
	json_t *user; /* as the request wants it, without the password */
	bool own;     /* nothing but the password is changed */
};

/* --- the form of a request --- */

static bool is_login(const char *login)
{
	size_t len = strlen(login);

	for (const char *c = login; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	return len > 0 && len <= USER_LOGIN_MAX;
}

/* A copy without what is null, not stored, or not his to say. */
static json_t *copy_wanted(const json_t *user)
{
	static const char *const not_stored[] = { "password", "cipher",
						  "remove" };
	json_t *without = json_copy((json_t *)user);
	json_t *copy;

	/* first: no second copy of the password is made */
	for (size_t i = 0; i < ARRAY_LEN(not_stored); i++)
		(void)json_object_del(without, not_stored[i]);
	copy = edit_copy(without);
	json_decref(without);
	return copy;
}

static void keep_first(enum check_severity severity, const char *path,
		       const char *text, void *arg)
{
	struct errmsg *why = arg;

	(void)severity;
	if (why->text[0] == '\0')
		errmsg_set(why, "%s: %s", path, text);
}

/* False after a reply. */
static bool judge_fields(const json_t *user, struct reply *reply)
{
	struct errmsg why = { 0 };
	struct judge judge = { .found = keep_first, .arg = &why,
			       .path = "user" };
	json_t *stored = copy_wanted(user);

	judge_user(&judge, stored);
	json_decref(stored);
	if (why.text[0] != '\0')
		reply_error(reply, 400, "%s", why.text);
	return reply->status == 0;
}

/* An observer changes his own password and nothing else. */
static bool judge_own(const struct caller *caller, const char *login,
		      const json_t *user, struct reply *reply)
{
	const char *password = json_string_value(
		json_object_get(user, "password"));

	if (strcmp(login, caller->login) != 0 || json_object_size(user) != 1 ||
	    password == NULL || password[0] == '\0')
		reply_error(reply, 403, "an observer may change his own "
			    "password and nothing else");
	return reply->status == 0;
}

static bool judge_password(const json_t *user, struct reply *reply)
{
	const json_t *password = edit_get(user, "password");

	if (password != NULL && !json_is_string(password))
		reply_error(reply, 400, "user.password: is not a string");
	else if (json_string_length(password) > PASSWORD_MAX)
		reply_error(reply, 400, "user.password: is longer than %d "
			    "bytes", (int)PASSWORD_MAX);
	return reply->status == 0;
}

/* --- what comes of it --- */

/* The entry as it is stored; hash: of a new password, or NULL. */
static json_t *make_entry(const struct change *c, const json_t *old,
			  const char *hash)
{
	json_t *entry = json_deep_copy(c->own ? old : c->user);
	const json_t *cipher = json_object_get(old, "cipher");

	if (hash != NULL)
		(void)json_object_set_new(entry, "cipher", json_string(hash));
	else if (cipher != NULL)
		(void)json_object_set(entry, "cipher", (json_t *)cipher);
	if (old == NULL)
		(void)json_object_set_new(entry, "created",
					  json_integer(time(NULL)));
	return entry;
}

static void change_free(struct change *c)
{
	auth_job_cancel(&c->job);
	json_decref(c->user);
	free(c->login);
	free(c);
}

static void carry_out(const struct change *c, const char *hash,
		      struct reply *reply)
{
	const json_t *old = config_user(c->api->cfg.config, c->login);

	if (c->own && old == NULL) {
		reply_error(reply, 404, "id: there is no user \"%.64s\"",
			    c->login);
		return;
	}
	users_put(c->api, c->login, make_entry(c, old, hash));
	reply_ok(reply, "set-user");
}

static void on_hash(enum auth_outcome outcome, const char *hash, void *arg)
{
	struct change *c = arg;
	struct call *call = c->call;

	c->job = NULL;
	if (outcome == AUTH_OK)
		carry_out(c, hash, call_reply(call));
	else
		reply_error(call_reply(call), 503,
			    "the password cannot be hashed now: try again");
	change_free(c);
	call_finish(call);
}

static void on_gone(void *arg)
{
	change_free(arg);
}

static void hash_first(struct change *c, const char *password,
		       struct reply *reply)
{
	c->call = reply_later(reply, on_gone, c);
	c->job = auth_job_new(fleet_auth(c->api->cfg.fleet),
			      &(struct auth_job_config){
				      .password = password,
				      .on_done = on_hash,
				      .arg = c,
			      });
}

static void put_user(struct api *api, const char *login, const json_t *user,
		     struct reply *reply)
{
	const json_t *secret = edit_get(user, "password");
	const char *password = json_string_value(secret);
	struct change *c = xcalloc(1, sizeof *c);

	c->api = api;
	c->login = xstrdup(login);
	c->own = reply_caller(reply)->type != USER_CONTROL;
	c->user = copy_wanted(user);
	/* forms send an empty one that nobody typed */
	if (password != NULL && password[0] != '\0') {
		hash_first(c, password, reply);
		explicit_bzero((char *)password, json_string_length(secret));
		return;
	}
	carry_out(c, NULL, reply);
	change_free(c);
}

static void remove_user(struct api *api, const char *login,
			struct reply *reply)
{
	json_t *marker;

	if (config_user(api->cfg.config, login) == NULL) {
		reply_error(reply, 404, "id: there is no user \"%.64s\"",
			    login);
		return;
	}
	config_remove_user(api->cfg.config, login);
	auth_users_changed(api->cfg.auth);
	marker = json_pack("{s:b}", "remove", 1);
	users_announce(api, login, marker);
	json_decref(marker);
	reply_ok(reply, "set-user");
}

void users_set(struct api *api, const json_t *request, struct reply *reply)
{
	const struct caller *caller = reply_caller(reply);
	const json_t *user = edit_get(request, "user");
	const char *login = users_login(request, reply);
	bool control = caller->type == USER_CONTROL;

	if (login == NULL)
		return;
	if (!json_is_object(user)) {
		reply_error(reply, 400, "user: is %s",
			    user == NULL ? "missing" : "not an object");
		return;
	}
	if (!control && !judge_own(caller, login, user, reply))
		return;
	if (control && json_is_true(json_object_get(user, "remove"))) {
		remove_user(api, login, reply);
		return;
	}
	if (!is_login(login)) {
		reply_error(reply, 400, "id: is not a login of 1 to %d bytes",
			    (int)USER_LOGIN_MAX);
		return;
	}
	if ((control && !judge_fields(user, reply)) ||
	    !judge_password(user, reply) || !edit_fits(user, "user", reply))
		return;
	put_user(api, login, user, reply);
}
