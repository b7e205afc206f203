/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command set-adapter: create, replace, rename, remove. */
#include "master/api/adapter_edit.h"
#include "master/api/edit.h"
#include "master/api/object_edit.h"
#include "master/api/stream_edit.h"
#include "master/config/check.h"

#include <string.h>

static void announce_removal(struct api *api, const char *id, bool up)
{
	json_t *marker = edit_removal(id, up);

	adapter_announce(api, marker, false);
	json_decref(marker);
}

static void remove_adapter(struct api *api, const struct object_edit *e,
			   struct reply *reply)
{
	json_t *list;

	if (!object_edit_can_remove(e, reply))
		return;
	list = edit_list(api, ADAPTERS);
	(void)json_array_remove(list, edit_find(list, e->old_id));
	config_set_section(api->cfg.config, ADAPTERS, list);
	edit_set_gid(api, e->gid);
	announce_removal(api, e->old_id, false);
	adapter_rename_inputs(api, e->old_id, NULL);
	reply_ok(reply, "set-adapter");
}

/* False after a reply. */
static bool judge_form(const json_t *adapter, struct reply *reply)
{
	static const char *const numbers[] = { "adapter", "device" };
	const json_t *enable = json_object_get(adapter, "enable");
	const json_t *type = json_object_get(adapter, "type");
	const json_t *scan = json_object_get(adapter, "scan");

	if (!json_is_boolean(enable))
		reply_error(reply, 400, "adapter.enable: is %s",
			    enable == NULL ? "missing" : "not true or false");
	else if (!json_is_string(type))
		reply_error(reply, 400, "adapter.type: is %s",
			    type == NULL ? "missing" : "not a string");
	else if (scan != NULL && !json_is_array(scan))
		reply_error(reply, 400, "adapter.scan: is not a list");
	for (size_t i = 0; reply->status == 0 && i < ARRAY_LEN(numbers); i++) {
		const json_t *value = json_object_get(adapter, numbers[i]);

		if (value != NULL && (!json_is_integer(value) ||
				      json_integer_value(value) < 0))
			reply_error(reply, 400, "adapter.%s: is not a whole "
				    "number", numbers[i]);
	}
	return reply->status == 0;
}

/* False after a reply. */
static bool judge_id(const struct api *api, const struct object_edit *e,
		     const json_t *own, struct reply *reply)
{
	const char *id = json_string_value(own);
	bool renamed = e->old_id == NULL ||
		       (id != NULL && strcmp(id, e->old_id) != 0);

	if (id == NULL)
		reply_error(reply, 400, "adapter.id: is not a string");
	else if (!check_id(id))
		reply_error(reply, 400, "adapter.id: \"%.64s\" is not 1 to 64 "
			    "characters of A-Z a-z 0-9 _ . -", id);
	/* a new one may be named twice, but not be renamed */
	else if (e->id != NULL && e->old_id == NULL && strcmp(id, e->id) != 0)
		reply_error(reply, 404, "id: there is no adapter \"%.64s\"",
			    e->id);
	else if (renamed && edit_entry(api, ADAPTERS, id) != NULL)
		reply_error(reply, 400, "adapter.id: \"%.64s\" is the id of "
			    "another adapter", id);
	return reply->status == 0;
}

/* Gives the object the id it is to have; false after a reply. */
static bool settle_id(struct api *api, struct object_edit *e, json_t *adapter,
		      struct reply *reply)
{
	char text[GID_TEXT_MAX];

	if (json_object_get(adapter, "id") == NULL) {
		if (e->id == NULL)
			edit_next_id(api, &e->next, text);
		(void)json_object_set_new(adapter, "id", json_string(
						e->id != NULL ? e->id : text));
	}
	return judge_id(api, e, json_object_get(adapter, "id"), reply);
}

/* All is judged: nothing fails from here on. */
static void put_adapter(struct api *api, const struct object_edit *e,
			json_t *adapter, const json_t *streams)
{
	const char *id = json_string_value(json_object_get(adapter, "id"));
	json_t *list = edit_list(api, ADAPTERS);

	if (e->old_id != NULL)
		(void)json_array_set(list, edit_find(list, e->old_id),
				     adapter);
	else
		(void)json_array_append(list, adapter);
	config_set_section(api->cfg.config, ADAPTERS, list);
	edit_set_gid(api, e->gid >= 0 ? e->gid : e->next);
	if (e->old_id != NULL)
		announce_removal(api, e->old_id, true);
	adapter_announce(api, adapter, true);
	if (e->old_id != NULL && strcmp(e->old_id, id) != 0)
		adapter_rename_inputs(api, e->old_id, id);
	adapter_add_streams(api, streams);
}

static void store_adapter(struct api *api, struct object_edit *e,
			  struct reply *reply)
{
	json_t *adapter = edit_entry_copy(e->wanted);
	json_t *streams = NULL;

	if (judge_form(adapter, reply) && settle_id(api, e, adapter, reply) &&
	    edit_fits(adapter, "adapter", reply))
		streams = adapter_scan_streams(
			api, json_object_get(adapter, "scan"),
			json_string_value(json_object_get(adapter, "id")),
			&e->next, reply);
	if (streams != NULL) {
		/* what was found is stored as streams, once */
		(void)json_object_del(adapter, "scan");
		put_adapter(api, e, adapter, streams);
		reply_ok(reply, "set-adapter");
	}
	json_decref(streams);
	json_decref(adapter);
}

void adapters_set(struct api *api, const json_t *request, struct reply *reply)
{
	struct object_edit e;

	if (!object_edit_read(&e, "adapter", request, reply))
		return;
	if (e.id != NULL && edit_entry(api, ADAPTERS, e.id) != NULL)
		e.old_id = e.id;
	if (e.remove)
		remove_adapter(api, &e, reply);
	else
		store_adapter(api, &e, reply);
}
