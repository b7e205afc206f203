/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CAMs of adapters: their slots in the status, and their menus. */
#include "common/base/errmsg.h"
#include "master/api/command.h"
#include "master/api/edit.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/reconciler.h"
#include "proto/spec/field.h"

#include <string.h>

/* Returns the CAM slots of an adapter, or an empty list; a new reference. */
static json_t *slots_of(const struct api *api, const char *id)
{
	const json_t *slots = adapter_procs_cams(
		reconciler_adapters(api->cfg.reconciler), id);

	return slots != NULL ? json_incref((json_t *)(uintptr_t)slots)
			     : json_array();
}

void cams_describe(const struct api *api, const char *id, json_t *status)
{
	json_t *slots = slots_of(api, id), *list = json_array(), *slot;
	size_t i;

	/* without the menu: observers do not see what a CAM asks */
	json_array_foreach(slots, i, slot) {
		json_t *copy = json_copy(slot);

		(void)json_object_del(copy, "menu");
		(void)json_array_append_new(list, copy);
	}
	if (json_array_size(list) > 0)
		(void)json_object_set(status, "cam", list);
	json_decref(list);
	json_decref(slots);
}

static void cams_get(struct api *api, const json_t *request,
		     struct reply *reply)
{
	const json_t *adapter = edit_named(api, ADAPTERS, "adapter", request,
					   reply);

	if (adapter != NULL)
		reply_json(reply, json_pack("{s:s, s:o}", "get-cam", "ok",
					    "cam",
					    slots_of(api, edit_text(adapter,
								    "id"))));
}

#define AT(member) FIELD_AT(struct msg_adapter_menu, member)
static const struct field menu_rows[] = {
	{ "slot", AT(slot), .max = MSG_CAM_SLOTS - 1 },
	{ "action", AT(action), .choices = msg_cam_actions,
	  .flags = FIELD_REQUIRED },
	{ "choice", AT(choice), .max = UINT8_MAX },
	{ "text", AT(text), .max = MSG_CAM_TEXT, .flags = FIELD_SECRET },
};
#undef AT
static const struct field_table menu_fields =
	FIELD_TABLE(struct msg_adapter_menu, menu_rows);

static const json_t *find_slot(const json_t *slots, uint32_t number)
{
	json_t *slot;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)slots, i, slot)
		if (json_integer_value(json_object_get(slot, "slot")) ==
		    number)
			return slot;
	return NULL;
}

/* Judges whether the CAM can take this action now, by its last report.  False:
 * the reply already has the error. */
static bool judge(const json_t *slots, const json_t *request,
		  const struct msg_adapter_menu *m, struct reply *reply)
{
	const json_t *slot = find_slot(slots, m->slot);
	const char *state = edit_text(slot, "state");

	if (m->action == CAM_CHOICE &&
	    json_object_get(request, "choice") == NULL)
		reply_error(reply, 400, "choice: is missing");
	else if (m->action == CAM_TEXT && m->text == NULL)
		reply_error(reply, 400, "text: is missing");
	else if (state == NULL || strcmp(state, "ready") != 0)
		reply_error(reply, 409, "slot: there is no CAM ready in slot "
			    "%u", m->slot);
	else if (m->action != CAM_MENU && m->action != CAM_CLOSE &&
		 json_object_get(slot, "menu") == NULL)
		reply_error(reply, 409, "action: the CAM has no open menu, so "
					"it accepts no answer: send \"menu\" "
					"first");
	return reply->status == 0;
}

static void cams_menu(struct api *api, const json_t *request,
		      struct reply *reply)
{
	const json_t *adapter = edit_named(api, ADAPTERS, "adapter", request,
					   reply);
	struct msg_adapter_menu m;
	struct errmsg error;
	json_t *slots;
	bool ok;

	if (adapter == NULL)
		return;
	if (field_read(&menu_fields, request, &m, &error) < 0) {
		reply_error(reply, 400, "%s", error.text);
		return;
	}
	slots = slots_of(api, edit_text(adapter, "id"));
	ok = judge(slots, request, &m, reply);
	json_decref(slots);
	if (!ok)
		return;
	m.text = m.text != NULL ? m.text : "";
	if (adapter_procs_menu(reconciler_adapters(api->cfg.reconciler),
			       edit_text(adapter, "id"), &m))
		reply_ok(reply, "cam-menu");
	else
		reply_error(reply, 409, "id: the adapter does not run");
}

const struct api_command cams_commands[] = {
	{ "cam-menu", cams_menu, OBSERVER_FORBIDDEN, 0 },
	{ "get-cam", cams_get, OBSERVER_FORBIDDEN, 0 },
	{ 0 },
};
