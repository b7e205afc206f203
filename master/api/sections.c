/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands set-auth and set-log: a section as a whole, at once. */
#include "common/base/log.h"
#include "master/api/auth_edit.h"
#include "master/api/edit.h"
#include "master/config/check.h"

static void sections_set_auth(struct api *api, const json_t *request,
			      struct reply *reply)
{
	json_t *message, *section;
	const json_t *wanted;

	if (!edit_object(request, "auth", &wanted, reply))
		return;
	section = wanted != NULL ? edit_copy(wanted) : NULL;
	if (section != NULL && !edit_fits(section, "auth", reply)) {
		json_decref(section);
		return;
	}
	auth_edit_lists(section);
	auth_edit_warn(section);
	message = edit_message("set-auth");
	if (section != NULL)
		(void)json_object_set(message, "auth", section);
	config_set_section(api->cfg.config, "auth", section);
	edit_announce(api, message);
	reply_ok(reply, "set-auth");
}

static void sections_set_log(struct api *api, const json_t *request,
			     struct reply *reply)
{
	const json_t *wanted;
	struct errmsg why;
	json_t *message, *section;

	if (!edit_object(request, "set", &wanted, reply))
		return;
	if (wanted == NULL) {
		reply_drop(reply, "set-log: set");
		return;
	}
	section = edit_copy(wanted);
	if (check_section("log", section, &why) < 0)
		reply_error(reply, 400, "%s", why.text);
	if (reply->status != 0 || !edit_fits(section, "set", reply)) {
		json_decref(section);
		return;
	}
	if (json_object_size(section) == 0) {
		json_decref(section);
		section = json_array();
	}
	message = edit_message("log_event");
	(void)json_object_set(message, "set", section);
	config_set_section(api->cfg.config, "log", section);
	if (api->cfg.set_log != NULL)
		api->cfg.set_log(api->cfg.arg);
	edit_announce(api, message);
	reply_ok(reply, "set-log");
}

const struct api_command sections_commands[] = {
	{ "set-auth", sections_set_auth, OBSERVER_HIDDEN, 0 },
	{ "set-log", sections_set_log, OBSERVER_HIDDEN, 0 },
	{ 0 },
};
