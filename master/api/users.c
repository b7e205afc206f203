/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands get-user and toggle-user, and what all of a user share. */
#include "master/api/users.h"

#include "master/api/edit.h"
#include "master/auth/auth.h"
#include "master/config/config.h"

const char *users_login(const json_t *request, struct reply *reply)
{
	const json_t *id = json_object_get(request, "id");

	if (!json_is_string(id))
		reply_error(reply, 400, "id: is %s",
			    id == NULL ? "missing" : "not a string");
	return json_string_value(id);
}

const json_t *users_find(struct api *api, const json_t *request,
			 struct reply *reply)
{
	const char *login = users_login(request, reply);
	const json_t *entry;

	if (login == NULL)
		return NULL;
	entry = config_user(api->cfg.config, login);
	if (entry == NULL)
		reply_error(reply, 404, "id: there is no user \"%.64s\"",
			    login);
	return entry;
}

void users_announce(struct api *api, const char *login, const json_t *entry)
{
	json_t *message = edit_message("set-user");

	(void)json_object_set_new(message, "id", json_string(login));
	/* only its count of references changes */
	(void)json_object_set(message, "user", (json_t *)entry);
	edit_say(api, message);
}

void users_put(struct api *api, const char *login, json_t *entry)
{
	config_put_user(api->cfg.config, login, entry);
	auth_users_changed(api->cfg.auth);
	users_announce(api, login, entry);
}

void users_get(struct api *api, const json_t *request, struct reply *reply)
{
	const json_t *entry = users_find(api, request, reply);
	json_t *copy;

	if (entry == NULL)
		return;
	copy = json_copy((json_t *)entry);
	if (reply_caller(reply)->type != USER_CONTROL)
		(void)json_object_del(copy, "cipher");
	reply_json(reply, copy);
}

void users_toggle(struct api *api, const json_t *request, struct reply *reply)
{
	const json_t *old = users_find(api, request, reply);
	bool enable = !json_is_true(json_object_get(old, "enable"));
	json_t *entry;

	if (old == NULL)
		return;
	entry = json_deep_copy(old);
	(void)json_object_set_new(entry, "enable", json_boolean(enable));
	users_put(api, users_login(request, reply), entry);
	reply_ok(reply, "toggle-user");
}
