/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command set-category. */
#include "master/api/category_edit.h"
#include "master/api/edit.h"
#include "master/api/stream_refs.h"

#include <string.h>

#define CATEGORIES "categories"

/* A request, and what it comes to. */
struct edit {
	const json_t *id; /* of the request, or NULL */
	const json_t *wanted;
	size_t place;
	bool remove;
	bool force;
	json_t *category; /* to be stored; NULL when it goes */
	struct category_change change;
};

/* {"set-category": "er", "error": …}, 200 */
static void refuse(struct reply *reply, const char *text, json_t *users)
{
	json_t *body = json_object();

	(void)json_object_set_new(body, "set-category", json_string("er"));
	(void)json_object_set_new(body, "error", json_string(text));
	if (users != NULL)
		(void)json_object_set_new(body, "users", users);
	reply_json(reply, body);
}

static bool is_place(const json_t *id, size_t n)
{
	double number = json_number_value(id);

	return number >= 0 && number < (double)n &&
	       number == (double)(size_t)number;
}

/* False after a reply. */
static bool read_edit(const json_t *list, const json_t *request,
		      struct edit *e, struct reply *reply)
{
	size_t n = json_array_size(list);

	e->wanted = edit_get(request, "category");
	e->id = edit_get(request, "id");
	e->remove = edit_is_removal(e->wanted);
	e->force = json_is_true(json_object_get(request, "force"));
	if (!json_is_object(e->wanted))
		refuse(reply, "category is required", NULL);
	else if (e->id != NULL && !json_is_number(e->id))
		refuse(reply, "id must be a number", NULL);
	else if (e->id == NULL && e->remove)
		refuse(reply, "id is required to remove a category", NULL);
	else if (e->id != NULL && !is_place(e->id, n))
		refuse(reply, "category not found", NULL);
	if (reply->status != 0)
		return false;
	e->place = e->id != NULL ? (size_t)json_number_value(e->id) : n;
	return true;
}

/* False after a reply. */
static bool make_category(const json_t *list, const json_t *request,
			  struct edit *e, struct reply *reply)
{
	struct category_names *names = category_names_new();
	struct category_request r = {
		.list = list,
		.category = e->wanted,
		.reorder = edit_get(request, "reorder"),
		.place = e->place,
	};
	struct errmsg why;

	e->category = category_make(&r, names, &why);
	category_names_free(&names);
	if (e->category == NULL)
		refuse(reply, why.text, NULL);
	return e->category != NULL;
}

/* --- users --- */

/* A copy of the user with other references, or NULL when nothing changes. */
static json_t *change_user(const struct category_change *c,
			   const json_t *user)
{
	const json_t *interface = json_object_get(user, "interface");
	bool gone, arrange_gone;
	json_t *packages = category_change_value(
		c, json_object_get(user, "packages"), &gone);
	json_t *arrange = category_change_value(
		c, json_object_get(interface, "arrange"), &arrange_gone);
	json_t *copy, *inner;

	if (packages == NULL && arrange == NULL && !arrange_gone)
		return NULL;
	copy = json_copy((json_t *)user);
	if (packages != NULL)
		(void)json_object_set_new(copy, "packages", packages);
	if (arrange == NULL && !arrange_gone)
		return copy;
	inner = json_copy((json_t *)interface);
	if (arrange != NULL)
		(void)json_object_set_new(inner, "arrange", arrange);
	else
		(void)json_object_del(inner, "arrange");
	(void)json_object_set_new(copy, "interface", inner);
	return copy;
}

/* The users that change, by their logins; a new reference. */
static json_t *change_users(struct api *api, const struct category_change *c)
{
	json_t *changed = json_object();
	const char *login;
	json_t *user;

	json_object_foreach((json_t *)config_section(api->cfg.config, "users"),
			    login, user) {
		json_t *now = change_user(c, user);

		if (now != NULL)
			(void)json_object_set_new(changed, login, now);
	}
	return changed;
}

/* Logins of those whose list of packages had something and has nothing. */
static json_t *find_emptied(const struct api *api, const json_t *changed)
{
	const json_t *users = config_section(api->cfg.config, "users");
	json_t *logins = json_array();
	const char *login;
	json_t *user;

	json_object_foreach((json_t *)changed, login, user) {
		const json_t *before = json_object_get(
			json_object_get(users, login), "packages");
		const json_t *now = json_object_get(user, "packages");

		if (json_array_size(before) > 0 && json_array_size(now) == 0)
			(void)json_array_append_new(logins,
						    json_string(login));
	}
	return logins;
}

/* False after a reply. */
static bool may_empty(const struct api *api, const struct edit *e,
		      const json_t *users, struct reply *reply)
{
	json_t *emptied = find_emptied(api, users);

	if (e->force || !e->remove || json_array_size(emptied) == 0) {
		json_decref(emptied);
		return true;
	}
	refuse(reply, "package list would be left empty", emptied);
	return false;
}

static void store_users(struct api *api, const json_t *changed)
{
	const json_t *users = config_section(api->cfg.config, "users");
	json_t *copy;

	if (json_object_size(changed) == 0)
		return;
	copy = json_copy((json_t *)users);
	(void)json_object_update(copy, (json_t *)changed);
	config_set_section(api->cfg.config, "users", copy);
}

/* --- what else is stored --- */

static void store_settings(struct api *api, const struct category_change *c)
{
	static const char key[] = "playlist_arrange";
	const json_t *settings = config_section(api->cfg.config, "settings");
	bool gone;
	json_t *now = category_change_value(
		c, json_object_get(settings, key), &gone);
	json_t *copy;

	if (now == NULL && !gone)
		return;
	copy = json_copy((json_t *)settings);
	if (gone)
		(void)json_object_del(copy, key);
	else
		(void)json_object_set_new(copy, key, now);
	config_set_section(api->cfg.config, "settings", copy);
}

static void store_category(struct api *api, const struct edit *e)
{
	json_t *list = edit_list(api, CATEGORIES);

	if (e->remove)
		(void)json_array_remove(list, e->place);
	else if (e->id != NULL)
		(void)json_array_set(list, e->place, e->category);
	else
		(void)json_array_append(list, e->category);
	config_set_section(api->cfg.config, CATEGORIES, list);
}

static enum rewrite_fate change_stream(const json_t *stream, json_t **ret_new,
				       const void *change)
{
	*ret_new = category_change_stream(change, stream);
	return *ret_new != NULL ? REWRITE_CHANGED : REWRITE_NONE;
}

static void announce(struct api *api, const struct edit *e)
{
	json_t *message = edit_message("set-category");
	json_t *category = e->category;

	if (e->id != NULL)
		(void)json_object_set(message, "id", (json_t *)e->id);
	if (category == NULL) {
		category = json_object();
		(void)json_object_set_new(category, "remove", json_true());
	} else {
		(void)json_incref(category);
	}
	(void)json_object_set_new(message, "category", category);
	edit_say(api, message);
}

/* {id, name} of each; a new reference. */
static json_t *list_streams(const json_t *streams)
{
	json_t *list = json_array();
	json_t *stream;
	size_t i;

	json_array_foreach((json_t *)streams, i, stream) {
		json_t *item = json_object();
		json_t *id = json_object_get(stream, "id");
		json_t *name = json_object_get(stream, "name");

		if (id != NULL)
			(void)json_object_set(item, "id", id);
		if (name != NULL)
			(void)json_object_set(item, "name", name);
		(void)json_array_append_new(list, item);
	}
	return list;
}

static json_t *list_keys(const json_t *object)
{
	json_t *list = json_array();
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
		(void)json_array_append_new(list, json_string(key));
	return list;
}

/* Takes list, which the answer has only when it is not empty. */
static void add_list(json_t *body, const char *key, json_t *list)
{
	if (json_array_size(list) > 0)
		(void)json_object_set(body, key, list);
	json_decref(list);
}

static void answer(struct reply *reply, const json_t *streams,
		   const json_t *users)
{
	json_t *body = json_object();

	(void)json_object_set_new(body, "set-category", json_string("ok"));
	add_list(body, "streams", list_streams(streams));
	add_list(body, "users", list_keys(users));
	reply_json(reply, body);
}

/* All is judged: nothing fails from here on. */
static void carry_out(struct api *api, const struct edit *e,
		      const json_t *users, struct reply *reply)
{
	struct rewrite streams;

	rewrite_streams(api, change_stream, &e->change, &streams);
	store_settings(api, &e->change);
	store_users(api, users);
	store_category(api, e);
	rewrite_apply(api, &streams);
	announce(api, e);
	answer(reply, streams.changed, users);
	rewrite_done(&streams);
}

void categories_set(struct api *api, const json_t *request,
		    struct reply *reply)
{
	const json_t *list = config_section(api->cfg.config, CATEGORIES);
	struct edit e = { 0 };
	json_t *old, *users;

	if (!read_edit(list, request, &e, reply) ||
	    (!e.remove && !make_category(list, request, &e, reply)))
		return;
	/* names are borrowed from it, and it leaves the list */
	old = json_incref(json_array_get(list, e.place));
	category_change_init(&e.change, old, e.remove ? NULL : e.wanted);
	users = change_users(api, &e.change);
	if (may_empty(api, &e, users, reply) &&
	    (e.remove || edit_fits(e.category, "category", reply)))
		carry_out(api, &e, users, reply);
	json_decref(users);
	category_change_done(&e.change);
	json_decref(old);
	json_decref(e.category);
}
