/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of users: get-user, toggle-user, set-user. */
#include "common/account/credential.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/supervise/auth_proc.h"
#include "master/api/call.h"
#include "master/api/collection.h"
#include "master/api/effects.h"
#include "master/api/redact.h"
#include "master/api/section_warnings.h"
#include "master/auth/auth.h"
#include "master/auth/caller.h"
#include "master/config/check.h"
#include "master/config/config.h"
#include "master/config/config_fields.h"
#include "master/config/judge.h"
#include "master/setup/options.h"
#include "master/streams/reconciler.h"
#include "master/viewers/viewers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Ends sessions and event channels that the changed user may not have any more,
 * and has the workers ask again about the viewers of the user. */
static void apply_user(struct edit *e)
{
	auth_users_changed(e->api->cfg.auth);
	viewers_user_changed(e->api->cfg.viewers, e->id);
	event_review(e->api);
}

/* Returns `id' of the request; NULL: the reply already has the error, 400. */
static const char *read_login(const json_t *request, struct reply *reply)
{
	const json_t *id = json_object_get(request, "id");

	if (!json_is_string(id))
		reply_error(reply, 400, "id: is %s",
			    id == NULL ? "missing" : "not a string");
	return json_string_value(id);
}

/* Returns the entry of a login, borrowed; NULL: the reply already has the
 * error, 400 or 404. */
static const json_t *find(struct api *api, const char *login,
			  struct reply *reply)
{
	const json_t *entry = login != NULL
		? config_user(api->cfg.config, login) : NULL;

	if (login != NULL && entry == NULL)
		reply_error(reply, 404, "id: there is no user \"%.64s\"",
			    login);
	return entry;
}

/* Stores the entry (taken; NULL: removes it) and announces it. */
static void store(struct api *api, const char *login, json_t *take_entry)
{
	static const struct collection users = {
		.command = "set-user",
		.member = "user",
		.key = COLLECTION_LOGINS,
		.apply = apply_user,
	};

	collection_store(&(struct edit){
		.of = &users,
		.api = api,
		.id = login,
		.gid = -1,
		.next_gid = -1,
		.entry = take_entry,
	});
	json_decref(take_entry);
}

bool users_wants_warnings(const json_t *request)
{
	return json_is_true(json_object_get(request, "warnings"));
}

void users_warn_observers(const struct api *api, bool in_reply,
			  struct reply *reply)
{
	struct errmsg warning;

	if (!check_observers(config_document(api->cfg.config), &warning))
		return;
	log_warning("config", CHECK_OBSERVERS_PATH ": %s", warning.text);
	if (in_reply)
		reply_warn(reply, CHECK_OBSERVERS_PATH, warning.text);
}

bool users_lack_control(const struct api *api, const json_t *document,
			struct errmsg *ret)
{
	return !api->cfg.options->no_web_auth &&
	       check_control_users(document,
				   config_path(api->cfg.config) != NULL, ret);
}

/* Warns in the answer if users_lack_control() and the request has `warnings'
 * true. */
static void warn_control(const struct api *api, const json_t *request,
			 const json_t *document, struct reply *reply)
{
	struct errmsg warning;

	if (users_wants_warnings(request) &&
	    users_lack_control(api, document, &warning))
		reply_warn(reply, CHECK_USERS_PATH, warning.text);
}

/* True: the entry is that of an observer who may log in. */
static bool is_observer(const json_t *entry)
{
	return json_is_true(json_object_get(entry, "enable")) &&
	       json_number_value(json_object_get(entry, "type")) ==
		       USER_OBSERVER;
}

static void users_get(struct api *api, const json_t *request,
		      struct reply *reply)
{
	const json_t *entry = find(api, read_login(request, reply), reply);

	if (entry == NULL)
		return;
	reply_json(reply, reply_caller(reply)->type == USER_CONTROL
			  ? json_incref((json_t *)entry)
			  : redact_secrets(&user_fields, entry));
}

/* Returns the document in which the user has this entry (taken; NULL: it is
 * removed). */
static json_t *document_with(const struct api *api, const char *login,
			     json_t *take_entry)
{
	json_t *document = json_copy(
		(json_t *)config_document(api->cfg.config));
	const json_t *now = json_object_get(document, "users");
	/* some clients write an empty object as [] */
	json_t *users = json_is_object(now) ? json_copy((json_t *)now)
					    : json_object();

	if (take_entry != NULL)
		(void)json_object_set_new(users, login, take_entry);
	else
		(void)json_object_del(users, login);
	(void)json_object_set_new(document, "users", users);
	return document;
}

/* Adds the warnings of a dry run about all users to the reply, if the request
 * has `warnings' true.  take_entry: as for document_with(). */
static void foresee(struct api *api, const json_t *request, const char *login,
		    json_t *take_entry, struct reply *reply)
{
	bool observer = is_observer(take_entry);
	json_t *document = document_with(api, login, take_entry);
	struct errmsg warning;

	if (users_wants_warnings(request) && observer &&
	    check_observers(document, &warning))
		reply_warn(reply, CHECK_OBSERVERS_PATH, warning.text);
	warn_control(api, request, document, reply);
	json_decref(document);
}

static void users_toggle(struct api *api, const json_t *request,
			 struct reply *reply)
{
	const json_t *old = find(api, read_login(request, reply), reply);
	bool enable = !json_is_true(json_object_get(old, "enable"));
	json_t *entry;

	if (old == NULL)
		return;
	entry = json_deep_copy(old);
	(void)json_object_set_new(entry, "enable", json_boolean(enable));
	if (effects_only(request)) {
		reply_effects(reply, "toggle-user", effects_new());
		foresee(api, request, edit_text(request, "id"), entry, reply);
		return;
	}
	store(api, edit_text(request, "id"), json_incref(entry));
	reply_ok(reply, "toggle-user");
	if (!enable)
		reply_when_saved(reply);
	if (is_observer(entry))
		users_warn_observers(api, users_wants_warnings(request),
				     reply);
	warn_control(api, request, config_document(api->cfg.config), reply);
	json_decref(entry);
}

/* --- set-user --- */

/* A change of a user whose password is being hashed. */
struct change {
	struct api *api;
	struct call *call;
	const json_t *request; /* borrowed from the call */
	struct auth_job *job;
	char *login;
	json_t *user; /* entry in the request, without the password */
	bool own;     /* an observer changes the password of its own login */
	bool warn;    /* the request has `warnings' true */
};

/* Returns a copy of the user without null members and members that are not
 * stored. */
static json_t *copy_wanted(const json_t *user)
{
	static const char *const not_stored[] = { "password", "cipher",
						  "remove" };
	json_t *without = json_copy((json_t *)user);
	json_t *copy;

	/* before edit_copy(), so that the password is not copied */
	for (size_t i = 0; i < ARRAY_LEN(not_stored); i++)
		(void)json_object_del(without, not_stored[i]);
	copy = edit_copy(without);
	json_decref(without);
	return copy;
}

static bool judge_request(const char *login, const json_t *user,
			  struct reply *reply)
{
	const struct caller *caller = reply_caller(reply);
	bool control = caller->type == USER_CONTROL;
	const json_t *password = edit_get(user, "password");
	struct errmsg error = { 0 };
	struct judge judge = { .found = check_keep_error, .arg = &error,
			       .path = "user" };
	json_t *stored = copy_wanted(user);

	if (control)
		judge_user(&judge, stored);
	json_decref(stored);
	if (!control && (strcmp(login, caller->login) != 0 ||
			 json_object_size(user) != 1 ||
			 json_string_length(password) == 0))
		reply_error(reply, 403, "an observer may only change the "
					"password of its own login");
	else if (!user_login_is_valid(login))
		reply_error(reply, 400, "id: is not a login of 1 to %d bytes",
			    (int)USER_LOGIN_MAX);
	else if (error.text[0] != '\0')
		reply_error(reply, 400, "%s", error.text);
	else if (password != NULL && !json_is_string(password))
		reply_error(reply, 400, "user.password: is not a string");
	else if (json_string_length(password) > PASSWORD_MAX)
		reply_error(reply, 400, "user.password: is longer than %d "
			    "bytes", (int)PASSWORD_MAX);
	return reply->status == 0 && edit_fits(user, "user", reply);
}

static void change_free(void *arg)
{
	struct change *c = arg;

	auth_job_cancel(&c->job);
	json_decref(c->user);
	free(c->login);
	free(c);
}

/* Adds the warnings about the entry of a user to the reply.  name: the login,
 * for the log; NULL: the user is not stored, so nothing is logged. */
static void warn_names(const struct api *api, const json_t *request,
		       const json_t *user, const char *name,
		       struct reply *reply)
{
	struct check_entry entry = {
		.section = "users",
		.path = "user",
		.entry = user,
		.document = config_document(api->cfg.config),
	};
	struct errmsg warning;

	entry_warnings(request, &entry, name, reply);
	/* not logged here: the log gets this warning for all users when the
	 * document is read */
	if (users_wants_warnings(request) &&
	    check_user_idle(user, entry.document, &warning))
		reply_warn(reply, entry.path, warning.text);
}

/* Stores the changed user and fills the reply; 404 if an observer, who changes
 * the own password, was removed meanwhile.  hash: hash of the new password;
 * NULL: the password stays. */
static void carry_out(const struct change *c, const char *hash,
		      struct reply *reply)
{
	const json_t *old = config_user(c->api->cfg.config, c->login);
	const json_t *cipher = json_object_get(old, "cipher");
	json_t *entry;

	if (c->own && old == NULL) {
		reply_error(reply, 404, "id: there is no user \"%.64s\"",
			    c->login);
		return;
	}
	entry = json_deep_copy(c->own ? old : c->user);
	if (hash != NULL)
		(void)json_object_set_new(entry, "cipher", json_string(hash));
	else if (cipher != NULL)
		(void)json_object_set(entry, "cipher", (json_t *)cipher);
	if (old == NULL)
		(void)json_object_set_new(entry, "created",
					  json_integer(time(NULL)));
	else
		reply_when_saved(reply);
	store(c->api, c->login, json_incref(entry));
	reply_ok(reply, "set-user");
	if (!c->own && is_observer(entry))
		users_warn_observers(c->api, c->warn, reply);
	if (!c->own) {
		warn_names(c->api, c->request, entry, c->login, reply);
		warn_control(c->api, c->request,
			     config_document(c->api->cfg.config), reply);
	}
	json_decref(entry);
}

/* Judges that no other client changed the user while the password was hashed.
 * False: the reply already has the error. */
static bool is_as_known(const struct change *c, struct reply *reply)
{
	return c->own ||
	       edit_is_as_known(c->request, "user",
				config_user(c->api->cfg.config, c->login),
				reply);
}

static void on_hash(enum auth_outcome outcome, const char *hash, void *arg)
{
	struct change *c = arg;
	struct call *call = c->call;

	c->job = NULL;
	config_set_author(c->api->cfg.config, call->caller.login);
	if (outcome != AUTH_OK)
		reply_error(call_reply(call), 503,
			    "the password cannot be hashed now: try again");
	else if (is_as_known(c, call_reply(call)))
		carry_out(c, hash, call_reply(call));
	config_set_author(c->api->cfg.config, NULL);
	change_free(c);
	call_finish(call);
}

static void put_user(struct api *api, const char *login,
		     const json_t *request, struct reply *reply)
{
	const json_t *user = edit_get(request, "user");
	const json_t *secret = edit_get(user, "password");
	const char *password = json_string_value(secret);
	struct change *c = xcalloc(1, sizeof *c);

	c->api = api;
	c->request = request;
	c->login = xstrdup(login);
	c->own = reply_caller(reply)->type != USER_CONTROL;
	c->warn = users_wants_warnings(request);
	c->user = copy_wanted(user);
	/* forms send an empty password if the field was left empty */
	if (password == NULL || password[0] == '\0') {
		carry_out(c, NULL, reply);
		change_free(c);
		return;
	}
	c->call = reply_later(reply, change_free, c);
	c->job = auth_job_new(reconciler_auth(api->cfg.reconciler),
			      &(struct auth_job_config){
				      .password = password,
				      .urgent = true,
				      .on_done = on_hash,
				      .arg = c,
			      });
	explicit_bzero((char *)password, json_string_length(secret));
}

/* Answers a dry run of set-user. */
static void foresee_user(struct api *api, const char *login,
			 const json_t *request, struct reply *reply)
{
	const json_t *user = edit_get(request, "user");
	const json_t *cipher = json_object_get(
		config_user(api->cfg.config, login), "cipher");
	json_t *entry;

	reply_effects(reply, "set-user", effects_new());
	if (reply_caller(reply)->type != USER_CONTROL)
		return;
	entry = copy_wanted(user);
	/* stands for the hash, which a dry run does not make: "$" looks like a
	 * hash to the check */
	if (json_string_length(edit_get(user, "password")) > 0)
		(void)json_object_set_new(entry, "cipher", json_string("$"));
	else if (cipher != NULL)
		(void)json_object_set(entry, "cipher", (json_t *)cipher);
	warn_names(api, request, entry, NULL, reply);
	foresee(api, request, login, entry, reply);
}

/* Removes a user. */
static void remove_user(struct api *api, const char *login,
			const json_t *request, struct reply *reply)
{
	if (find(api, login, reply) == NULL)
		return;
	if (effects_only(request)) {
		reply_effects(reply, "set-user", effects_new());
		foresee(api, request, login, NULL, reply);
		return;
	}
	store(api, login, NULL);
	reply_ok(reply, "set-user");
	reply_when_saved(reply);
	warn_control(api, request, config_document(api->cfg.config), reply);
}

static void users_set(struct api *api, const json_t *request,
		      struct reply *reply)
{
	bool is_control = reply_caller(reply)->type == USER_CONTROL;
	const json_t *user = edit_get(request, "user");
	const char *login = read_login(request, reply);

	if (login == NULL)
		return;
	if (!json_is_object(user)) {
		reply_error(reply, 400, "user: is %s",
			    user == NULL ? "missing" : "not an object");
	} else if (is_control && !edit_is_as_known(
			   request, "user",
			   config_user(api->cfg.config, login), reply)) {
		return;
	} else if (is_control && edit_is_removal(user)) {
		remove_user(api, login, request, reply);
	} else if (judge_request(login, user, reply)) {
		if (effects_only(request))
			foresee_user(api, login, request, reply);
		else
			put_user(api, login, request, reply);
	}
}

const struct api_command users_commands[] = {
	{ "get-user", users_get, OBSERVER_ALLOWED, 0 },
	{ "set-user", users_set, OBSERVER_ALLOWED,
	  COMMAND_NAMES_OBJECT | COMMAND_DRY },
	{ "toggle-user", users_toggle, OBSERVER_FORBIDDEN, COMMAND_DRY },
	{ 0 },
};
