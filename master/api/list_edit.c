/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/list_edit.h"

#include "master/api/edit.h"
#include "master/config/check.h"

#include <stdio.h>
#include <string.h>

/* False after a drop. */
static bool has_required(const struct entry_edit *e,
			 const char *const *required, size_t n,
			 struct reply *reply)
{
	char field[64];

	for (size_t i = 0; i < n; i++) {
		if (edit_get(e->wanted, required[i]) != NULL)
			continue;
		(void)snprintf(field, sizeof field, "set-%s: %s.%s", e->name,
			       e->name, required[i]);
		reply_drop(reply, field);
		return false;
	}
	return true;
}

/* False after a reply. */
static bool judge_id(const struct api *api, const struct entry_edit *e,
		     struct reply *reply)
{
	const char *id = json_string_value(json_object_get(e->wanted, "id"));

	if (id == NULL)
		reply_error(reply, 400, "%s.id: is not a string", e->name);
	else if (!check_id(id))
		reply_error(reply, 400,
			    "%s.id: \"%.64s\" is not 1 to 64 characters of "
			    "A-Z a-z 0-9 _ . -", e->name, id);
	else if ((e->id == NULL || strcmp(id, e->id) != 0) &&
		 edit_entry(api, e->name, id) != NULL)
		reply_error(reply, 400, "%s.id: \"%.64s\" is the id of "
			    "another", e->name, id);
	return reply->status == 0;
}

bool entry_edit_read(struct api *api, const json_t *request,
		     const char *const *required, size_t n_required,
		     struct entry_edit *e, struct reply *reply)
{
	if (edit_get(request, e->name) == NULL) {
		reply_drop(reply, e->name);
		return false;
	}
	if (!edit_object(request, e->name, &e->wanted, reply) ||
	    !edit_id(request, &e->id, reply) ||
	    !edit_gid(request, &e->gid, reply))
		return false;
	e->remove = edit_is_removal(e->wanted);
	e->known = e->id != NULL && edit_entry(api, e->name, e->id) != NULL;
	return e->remove ||
	       (has_required(e, required, n_required, reply) &&
		judge_id(api, e, reply) &&
		edit_fits(e->wanted, e->name, reply));
}

static json_t *message_of(const struct entry_edit *e)
{
	char scope[32];

	(void)snprintf(scope, sizeof scope, "set-%s", e->name);
	return edit_message(scope);
}

void entry_edit_remove(struct api *api, const struct entry_edit *e)
{
	json_t *message, *list;

	if (!e->known)
		return;
	list = edit_list(api, e->name);
	(void)json_array_remove(list, edit_find(list, e->id));
	config_set_section(api->cfg.config, e->name, list);
	message = message_of(e);
	(void)json_object_set_new(message, e->name,
				  edit_removal(e->id, !e->remove));
	edit_say(api, message);
}

void entry_edit_append(struct api *api, const struct entry_edit *e)
{
	json_t *message, *list, *entry;

	edit_set_gid(api, e->gid);
	if (e->remove)
		return;
	entry = edit_entry_copy(e->wanted);
	list = edit_list(api, e->name);
	(void)json_array_append(list, entry);
	config_set_section(api->cfg.config, e->name, list);
	message = message_of(e);
	(void)json_object_set_new(message, e->name, entry);
	edit_add_gid(api, message);
	edit_say(api, message);
}
