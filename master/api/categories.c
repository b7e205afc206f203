/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command set-category. */
#include "master/api/category_edit.h"
#include "master/api/collection.h"
#include "master/viewers/viewers.h"

/* What a request changes outside of the category. */
struct category_changes {
	struct category_change names;
	json_t *users;   /* {login: new entry of the user} */
	json_t *streams; /* new objects of the changed streams */
};

/* Replies {"set-category": "er", "error": …} with status 200, and users (taken;
 * may be NULL).  Returns false. */
static bool refuse(struct edit *e, const char *text, json_t *users)
{
	json_t *body = json_pack("{s:s, s:s}", e->of->command, "er", "error",
				 text);

	if (users != NULL)
		(void)json_object_set_new(body, "users", users);
	reply_json(e->reply, body);
	return false;
}

static bool read_category(struct edit *e)
{
	const json_t *id = edit_get(e->request, "id");
	double place = json_number_value(id);
	size_t n = json_array_size(config_section(e->api->cfg.config,
						  e->of->section));

	e->wanted = edit_get(e->request, e->of->member);
	e->remove = edit_is_removal(e->wanted);
	if (!json_is_object(e->wanted))
		return refuse(e, "category is required", NULL);
	if (id != NULL && !json_is_number(id))
		return refuse(e, "id must be a number", NULL);
	if (id == NULL && e->remove)
		return refuse(e, "id is required to remove a category", NULL);
	if (id != NULL && !(place >= 0 && place < (double)n &&
			    place == (double)(size_t)place))
		return refuse(e, "category not found", NULL);
	e->place = id != NULL ? (size_t)place : n;
	return true;
}

/* --- users --- */

/* Returns a copy of the user with the new names, or NULL if nothing changes. */
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

/* Finds the changed users.  A removal that leaves users without a package needs
 * `force'.  False: the reply already has the error. */
static bool judge_users(struct edit *e)
{
	const json_t *users = config_section(e->api->cfg.config, "users");
	struct category_changes *c = e->arg;
	json_t *emptied = json_array();
	const char *login;
	json_t *user;

	json_object_foreach((json_t *)users, login, user) {
		json_t *now = change_user(&c->names, user);

		if (now == NULL)
			continue;
		if (json_array_size(json_object_get(user, "packages")) > 0 &&
		    json_array_size(json_object_get(now, "packages")) == 0)
			(void)json_array_append_new(emptied,
						    json_string(login));
		(void)json_object_set_new(c->users, login, now);
	}
	if (e->remove && json_array_size(emptied) > 0 &&
	    !json_is_true(json_object_get(e->request, "force")))
		return refuse(e, "package list would be left empty", emptied);
	json_decref(emptied);
	return true;
}

static bool judge_category(struct edit *e)
{
	struct category_changes *c = e->arg;
	struct category_request r = {
		.list = config_section(e->api->cfg.config, e->of->section),
		.category = e->wanted,
		.reorder = edit_get(e->request, "reorder"),
		.place = e->place,
	};
	struct errmsg error, detail;
	json_t *category;

	if (!e->remove) {
		category = category_make(&r, &error, &detail);
		if (category == NULL) {
			refuse(e, error.text, NULL);
			/* clients that do not want warnings expect only the
			 * error */
			if (users_wants_warnings(e->request) &&
			    detail.text[0] != '\0')
				(void)json_object_set_new(
					e->reply->body, "detail",
					json_string(detail.text));
			return false;
		}
		json_decref(e->entry);
		e->entry = category;
	}
	category_change_init(&c->names, e->old, e->remove ? NULL : e->wanted);
	return judge_users(e);
}

/* --- after the whole request was judged --- */

static enum stream_fate change_stream(const json_t *stream, json_t **ret_new,
				      const void *change)
{
	*ret_new = category_change_stream(change, stream);
	return *ret_new != NULL ? STREAM_CHANGED : STREAM_KEPT;
}

static json_t *change_settings(const json_t *settings, const void *change)
{
	bool gone;
	json_t *arrange = category_change_value(
		change, json_object_get(settings, "playlist_arrange"), &gone);
	json_t *copy;

	if (arrange == NULL && !gone)
		return NULL;
	copy = json_copy((json_t *)settings);
	if (gone)
		(void)json_object_del(copy, "playlist_arrange");
	else
		(void)json_object_set_new(copy, "playlist_arrange", arrange);
	return copy;
}

static void change_all(struct edit *e)
{
	struct config *config = e->api->cfg.config;
	struct category_changes *c = e->arg;
	json_t *copy;

	config_change_settings(config, change_settings, &c->names);
	if (json_object_size(c->users) > 0) {
		copy = json_copy((json_t *)config_section(config, "users"));
		(void)json_object_update(copy, c->users);
		config_set_section(config, "users", copy);
	}
	c->streams = stream_refs_follow(e->api, change_stream, &c->names);
	viewers_groups_changed(e->api->cfg.viewers);
}

/* Adds the changed streams and users to the reply. */
static void add_changed(struct edit *e)
{
	static const char *const keys[] = { "id", "name" };
	const struct category_changes *c = e->arg;
	json_t *streams = json_array(), *users = json_array();
	const char *login;
	json_t *value;
	size_t i;

	json_array_foreach(c->streams, i, value) {
		json_t *item = json_object();

		for (size_t k = 0; k < ARRAY_LEN(keys); k++)
			if (json_object_get(value, keys[k]) != NULL)
				(void)json_object_set(
					item, keys[k],
					json_object_get(value, keys[k]));
		(void)json_array_append_new(streams, item);
	}
	json_object_foreach(c->users, login, value)
		(void)json_array_append_new(users, json_string(login));
	if (json_array_size(streams) > 0)
		(void)json_object_set(e->reply->body, "streams", streams);
	if (json_array_size(users) > 0)
		(void)json_object_set(e->reply->body, "users", users);
	json_decref(streams);
	json_decref(users);
}

/* Replies to a dry run with the changed streams and users. */
static void foresee_category(struct edit *e, json_t *effects)
{
	struct category_changes *c = e->arg;

	c->streams = stream_refs_foresee(e->api, change_stream, &c->names,
					 effects);
	add_changed(e);
}

static void categories_set(struct api *api, const json_t *request,
			   struct reply *reply)
{
	static const struct collection categories = {
		.command = "set-category",
		.section = "categories",
		.member = "category",
		.key = COLLECTION_PLACES,
		.read = read_category,
		.judge = judge_category,
		.judge_removal = judge_category,
		.apply = change_all,
		.finish = add_changed,
		.foresee = foresee_category,
	};
	struct category_changes changes = { .users = json_object() };

	collection_set(&categories, api, request, reply, &changes);
	json_decref(changes.names.groups);
	json_decref(changes.users);
	json_decref(changes.streams);
}

const struct api_command categories_commands[] = {
	{ "set-category", categories_set, OBSERVER_FORBIDDEN,
	  COMMAND_NAMES_OBJECT | COMMAND_DRY },
	{ 0 },
};
