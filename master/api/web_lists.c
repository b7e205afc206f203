/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists that are only stored for a web interface: set-server and POST
 * api/output-group[/NAME]. */
#include "master/api/collection.h"

/* --- other instances that the web interface shows --- */

static bool read_server(struct edit *e)
{
	const json_t *list = config_section(e->api->cfg.config, "servers");
	const json_t *id = edit_get(e->request, "id");
	const json_t *before = edit_get(e->request, "before");
	json_int_t place = json_integer_value(id);
	size_t n = json_array_size(list);

	if (!edit_object(e->request, "server", &e->wanted, e->reply))
		return false;
	e->remove = edit_is_removal(e->wanted);
	e->place = id != NULL ? (size_t)place : n;
	if (e->wanted == NULL)
		reply_drop(e->reply, "set-server: server");
	else if (id == NULL && e->remove)
		reply_drop(e->reply, "set-server: id of a removal");
	else if (id != NULL && !json_is_integer(id))
		reply_error(e->reply, 400, "id: is not a whole number");
	else if (id != NULL && (place < 0 || e->place >= n))
		reply_error(e->reply, 404, "id: there is no server %lld",
			    (long long)place);
	else if (before != NULL && (!json_is_integer(before) || id != NULL ||
				    json_integer_value(before) < 0))
		reply_error(e->reply, 400, "before: is %s", id != NULL
			    ? "only for a new server"
			    : "not a position");
	else if (before != NULL && (size_t)json_integer_value(before) < n)
		e->before = (size_t)json_integer_value(before);
	return e->reply->status == 0 && !e->reply->drop;
}

static void servers_set(struct api *api, const json_t *request,
			struct reply *reply)
{
	static const struct collection servers = {
		.command = "set-server",
		.section = "servers",
		.member = "server",
		.key = COLLECTION_PLACES,
		.vanishes = true,
		.read = read_server,
	};

	collection_set(&servers, api, request, reply, NULL);
}

/* --- groups of outputs --- */

static bool read_group(struct edit *e)
{
	const char *name = e->arg;
	const json_t *list = config_section(e->api->cfg.config, "output");
	size_t n = json_array_size(list);

	e->wanted = e->request;
	e->remove = edit_is_removal(e->wanted);
	e->place = name[0] != '\0' ? edit_find(list, "name", name) : n;
	if (!json_is_object(e->wanted))
		reply_error(e->reply, 400, "the body is not a JSON object");
	else if (name[0] == '\0' && e->remove)
		reply_error(e->reply, 400, "the path names no group");
	else if (name[0] != '\0' && e->place == n)
		reply_error(e->reply, 404, "there is no output group \"%.64s\"",
			    name);
	return e->reply->status == 0;
}

static bool judge_group(struct edit *e)
{
	const json_t *list = config_section(e->api->cfg.config, "output");
	const char *path = e->arg;
	const json_t *name;
	const char *text;
	size_t other;

	if (path[0] != '\0' && json_object_get(e->entry, "name") == NULL)
		(void)json_object_set_new(e->entry, "name", json_string(path));
	name = json_object_get(e->entry, "name");
	text = json_string_value(name);
	other = edit_find(list, "name", text);
	if (text == NULL || text[0] == '\0')
		reply_error(e->reply, 400, "name: is %s",
			    name == NULL ? "missing" :
			    text == NULL ? "not a string" : "empty");
	else if (other < json_array_size(list) && other != e->place)
		reply_error(e->reply, 400, "name: \"%.64s\" is the name of "
			    "another group", text);
	return e->reply->status == 0;
}

static void announce_group(struct edit *e)
{
	json_t *message = edit_message(e->of->command);

	if (e->old != NULL)
		(void)json_object_set_new(message, "index",
					  json_integer((json_int_t)e->place));
	if (e->entry != NULL)
		(void)json_object_set(message, "group", e->entry);
	else
		(void)json_object_set_new(message, "remove", json_true());
	edit_announce(e->api, message);
}

static void output_groups_post(struct api *api, const char *name,
			       const json_t *body, struct reply *reply)
{
	static const struct collection groups = {
		.command = "post-output-group",
		.section = "output",
		.member = "group",
		.key = COLLECTION_PLACES,
		.read = read_group,
		.judge = judge_group,
		.announce = announce_group,
	};

	collection_set(&groups, api, body, reply, (char *)name);
}

const struct api_command web_lists_commands[] = {
	{ "set-server", servers_set, OBSERVER_HIDDEN,
	  COMMAND_NAMES_OBJECT | COMMAND_DRY },
	{ 0 },
};

const struct api_path web_lists_paths[] = {
	{ "api/output-group", PATH_MAYBE_ID, OBSERVER_FORBIDDEN,
	  .post = output_groups_post },
	{ 0 },
};
