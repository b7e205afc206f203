/* SPDX-License-Identifier: GPL-3.0-or-later */
/* POST api/output-group[/{name}]: groups that the web interface makes of
 * outputs.  Nothing here looks into them. */
#include "master/api/edit.h"

#include <string.h>

#define GROUPS "output"

/* What is to be done to the list. */
struct change {
	const char *name; /* of the path, "" without */
	size_t place;     /* of that group, or the list's length */
	bool remove;
};

static size_t find(const json_t *list, const char *name)
{
	size_t n = json_array_size(list);
	size_t i;

	for (i = 0; i < n; i++) {
		const char *other = json_string_value(
			json_object_get(json_array_get(list, i), "name"));

		if (other != NULL && strcmp(other, name) == 0)
			break;
	}
	return i;
}

/* False after a reply. */
static bool judge(const json_t *list, const struct change *c,
		  const json_t *group, struct reply *reply)
{
	const json_t *name = json_object_get(group, "name");
	const char *text = json_string_value(name);
	size_t other;

	if (text == NULL || text[0] == '\0') {
		reply_error(reply, 400, "name: is %s",
			    name == NULL ? "missing" :
			    text == NULL ? "not a string" : "empty");
		return false;
	}
	other = find(list, text);
	if (other < json_array_size(list) && other != c->place) {
		reply_error(reply, 400, "name: \"%.64s\" is the name of "
			    "another group", text);
		return false;
	}
	return edit_fits(group, "group", reply);
}

/* Tells, stores and answers.  group: NULL when it goes; taken. */
static void store(struct api *api, const struct change *c, json_t *group,
		  struct reply *reply)
{
	json_t *message = edit_message("post-output-group");
	json_t *list = edit_list(api, GROUPS);

	if (c->place < json_array_size(list))
		(void)json_object_set_new(message, "index",
					  json_integer((json_int_t)c->place));
	if (c->remove)
		(void)json_object_set_new(message, "remove", json_true());
	else
		(void)json_object_set(message, "group", group);
	if (c->remove)
		(void)json_array_remove(list, c->place);
	else if (c->place < json_array_size(list))
		(void)json_array_set(list, c->place, group);
	else
		(void)json_array_append(list, group);
	json_decref(group);
	config_set_section(api->cfg.config, GROUPS, list);
	edit_say(api, message);
	reply_ok(reply, "post-output-group");
}

void output_groups_post(struct api *api, const char *name, const json_t *body,
			struct reply *reply)
{
	const json_t *list = config_section(api->cfg.config, GROUPS);
	struct change c = { .name = name, .remove = edit_is_removal(body) };
	json_t *group;

	if (!json_is_object(body)) {
		reply_error(reply, 400, "the body is not a JSON object");
		return;
	}
	c.place = name[0] != '\0' ? find(list, name) : json_array_size(list);
	if (name[0] == '\0' && c.remove) {
		reply_error(reply, 400, "the path names no group");
		return;
	}
	if (name[0] != '\0' && c.place == json_array_size(list)) {
		reply_error(reply, 404, "there is no group \"%.64s\"", name);
		return;
	}
	if (c.remove) {
		store(api, &c, NULL, reply);
		return;
	}
	group = edit_entry_copy(body);
	if (name[0] != '\0' && json_object_get(group, "name") == NULL)
		(void)json_object_set_new(group, "name", json_string(name));
	if (judge(list, &c, group, reply))
		store(api, &c, group, reply);
	else
		json_decref(group);
}
