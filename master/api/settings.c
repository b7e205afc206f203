/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands for the settings, and for the instance itself. */
#include "common/account/user.h"
#include "master/api/auth_edit.h"
#include "master/api/certificate.h"
#include "master/api/call.h"
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/api/host_files.h"
#include "master/api/reply_after_save.h"
#include "master/api/section_warnings.h"
#include "master/auth/auth.h"
#include "master/config/check.h"
#include "master/config/link_graph.h"
#include "master/config/write_paths.h"
#include "master/viewers/viewers.h"

#include <stdint.h>
#include <string.h>

/* Judges the value of a section.  False: it would make the next start fail, or
 * would be ignored; the reply already has the error. */
static bool judge(const char *key, const json_t *value, struct reply *reply)
{
	struct errmsg error;

	if (check_section(key, value, &error) == 0)
		return true;
	reply_error(reply, 400, "%s", error.text);
	return false;
}

/* Judges that no adapter of the section dvb_tune would receive, through
 * streams, its own output: the next change of any adapter starts all adapters
 * without such a check.  False: the reply already has the error. */
static bool judge_loops(const struct api *api, const char *key,
			const json_t *data, struct reply *reply)
{
	const json_t *adapter;
	struct link_graph graph;
	struct errmsg error;
	bool loops = false;
	size_t i;

	if (strcmp(key, ADAPTERS) != 0)
		return true;
	link_graph_init(&graph, config_section(api->cfg.config, STREAMS), data);
	json_array_foreach((json_t *)(uintptr_t)data, i, adapter) {
		loops = link_graph_adapter_loops(&graph, adapter, NULL, &error);
		if (loops)
			break;
	}
	link_graph_done(&graph);
	if (loops)
		reply_error(reply, 400, ADAPTERS "[%zu].%s", i, error.text);
	return !loops;
}

/* True: `was' of the request equals the stored settings without the private
 * key: clients receive settings in this form in an event. */
static bool lacks_key(struct api *api, const char *key, const json_t *request)
{
	const json_t *was = json_object_get(request, "was");
	const json_t *now = config_section(api->cfg.config, key);
	json_t *hidden;
	bool is_hidden;

	if (strcmp(key, "settings") != 0 || was == NULL || now == NULL)
		return false;
	hidden = certificate_hide(now);
	is_hidden = edit_same(was, hidden) && !edit_same(was, now);
	json_decref(hidden);
	return is_hidden;
}

/* True: `was' is absent, or equals the stored section with or without the
 * private key.  False: the reply already has the error. */
static bool is_as_known(struct api *api, const char *key,
			const json_t *request, struct reply *reply)
{
	return lacks_key(api, key, request) ||
	       edit_section_is_as_known(api, request, key, reply);
}

/* Adds the stored private key to the new settings if the client did not receive
 * the key and has kept the certificate. */
static void keep_key(struct api *api, const char *key, const json_t *request,
		     json_t *settings)
{
	const json_t *now = config_section(api->cfg.config, key);

	if (lacks_key(api, key, request) &&
	    json_string_length(json_object_get(settings, "crt_chain")) > 0 &&
	    json_object_get(settings, "crt_key") == NULL)
		(void)json_object_set(settings, "crt_key",
				      json_object_get(now, "crt_key"));
}

/* Judges that the service may write the files of the settings.  False: the
 * reply already has the error. */
static bool may_write_settings(const struct api *api, const json_t *settings,
			       struct reply *reply)
{
	struct errmsg error;

	if (write_paths_judge_settings(api->cfg.write_paths, settings,
				       &error) == 0)
		return true;
	reply_error(reply, 400, "settings.%s", error.text);
	return false;
}

/* Returns {key: data}, a new reference.  data NULL: the section is to be
 * removed, and the member is null. */
static json_t *member(const char *key, json_t *data)
{
	json_t *members = json_object();

	(void)json_object_set_new(members, key, data != NULL ? json_incref(data)
							     : json_null());
	return members;
}

/* True: the caller continues.  False: the request wants warnings, and waits for
 * the check of the files that the members (taken) name; `again' is called
 * afterwards. */
static bool files_are_judged(struct api *api, const json_t *request,
			     json_t *take_members, struct reply *reply,
			     command_fn *again)
{
	bool judged = !users_wants_warnings(request) ||
		      host_files_judge(api->files, take_members, reply, again);

	json_decref(take_members);
	return judged;
}

/* Applies what needs no restart, and sends the event.  data NULL: the section
 * was removed. */
static void announce(struct api *api, const char *command, const char *key,
		     json_t *data)
{
	bool is_config = strcmp(command, "set-config") == 0;
	json_t *message = edit_message(command);

	if (strcmp(key, "users") == 0)
		auth_users_changed(api->cfg.auth);
	if (strcmp(key, "users") == 0)
		viewers_changed(api->cfg.viewers);
	if (strcmp(key, "auth") == 0)
		auth_edit_apply(api);
	event_review(api);
	if (is_config)
		(void)json_object_set_new(message, "key", json_string(key));
	else
		edit_add_gid(api, message);
	/* event clients must not receive the private key */
	if (data != NULL)
		(void)json_object_set_new(message, is_config ? "data" : key,
					  strcmp(key, "settings") == 0
						  ? certificate_hide(data)
						  : json_incref(data));
	edit_announce(api, message);
}

/* A saved_fn: members has a section and, after it, possibly the id counter. */
static void apply(struct api *api, const char *command, const json_t *members)
{
	json_t *all = (json_t *)(uintptr_t)members;
	void *section = json_object_iter(all);
	json_t *data = json_object_iter_value(section);

	config_put_members(api->cfg.config, members);
	announce(api, command, json_object_iter_key(section),
		 json_is_null(data) ? NULL : data);
}

/* Adds to warnings (NULL: the request wants none) that observers can read
 * secrets with these settings.  The log gets this warning at the restart. */
static void warn_observers(const struct api *api, json_t *settings,
			   json_t *warnings)
{
	json_t *members = member("settings", settings);
	json_t *document = config_with(api->cfg.config, members);
	struct errmsg warning;

	if (warnings != NULL && check_observers(document, &warning))
		(void)json_array_append_new(warnings, json_sprintf(
			CHECK_OBSERVERS_PATH ": %s", warning.text));
	json_decref(document);
	json_decref(members);
}

static void settings_set(struct api *api, const json_t *request,
			 struct reply *reply)
{
	const json_t *wanted;
	json_t *settings, *members, *warnings;
	json_int_t gid;

	if (!edit_object(request, "settings", &wanted, reply) ||
	    !edit_gid(request, &gid, reply))
		return;
	if (wanted == NULL) {
		reply_drop(reply, "set-settings: settings");
		return;
	}
	if (!is_as_known(api, "settings", request, reply))
		return;
	settings = edit_copy(wanted);
	keep_key(api, "settings", request, settings);
	if (!judge("settings", settings, reply) ||
	    !may_write_settings(api, settings, reply) ||
	    !edit_fits(settings, "settings", reply) ||
	    !certificate_judge(api, settings, reply, settings_set) ||
	    !files_are_judged(api, request, member("settings", settings),
			      reply, settings_set)) {
		json_decref(settings);
		return;
	}
	warnings = section_warnings(api, request, "settings", settings,
				    &reply->call->files);
	warn_observers(api, settings, warnings);
	if (effects_only(request)) {
		json_t *effects = effects_new();

		effects_add_restart(effects);
		effects_add_settings(effects, api, settings);
		reply_effects(reply, "set-settings", effects);
		section_warnings_add(warnings, reply);
		json_decref(settings);
		return;
	}
	host_files_log(api->files, "settings", settings, reply->call);
	members = member("settings", json_object_size(settings) > 0 ? settings
								    : NULL);
	if (gid >= 0)
		(void)json_object_set_new(members, "gid", json_integer(gid));
	json_decref(settings);
	saved_reply(api, reply, &(struct saved_change){
		.command = "set-settings",
		.take_members = members,
		.take_warnings = warnings,
		.apply = apply,
	});
}

/* Reads `key' of set-config.  False: the reply already has the error, or the
 * connection is to be closed. */
static bool read_key(const json_t *request, const char **ret_key,
		     struct reply *reply)
{
	const json_t *key = edit_get(request, "key");
	const json_t *restart = edit_get(request, "restart");

	if (key == NULL)
		reply_drop(reply, "set-config: key");
	else if (!json_is_string(key))
		reply_error(reply, 400, "key: is not a string");
	else if (json_string_length(key) == 0)
		reply_error(reply, 400, "key: is empty");
	else if (restart != NULL && !json_is_boolean(restart))
		reply_error(reply, 400, "restart: is not true or false");
	*ret_key = json_string_value(key);
	return reply->status == 0 && !reply->drop;
}

static command_fn settings_set_config;

/* Judges that the service may write the files that the section names.  False:
 * the reply already has the error. */
static bool may_write(const struct api *api, const char *key,
		      const json_t *data, struct reply *reply)
{
	json_t *document = json_object();
	struct errmsg error;
	int r;

	(void)json_object_set(document, key, (json_t *)(uintptr_t)data);
	r = write_paths_judge(api->cfg.write_paths, document, &error);
	json_decref(document);
	if (r < 0)
		reply_error(reply, 400, "%s", error.text);
	return r == 0;
}

/* Answers a dry run of set-config: which streams the change of the section
 * would interrupt.  Only a change of the settings or of the list of streams,
 * with a restart, interrupts streams. */
static void foresee_config(struct api *api, const char *key, json_t *data,
			   bool restart, struct reply *reply)
{
	json_t *effects, *members, *wanted, *changes;

	if (restart && (strcmp(key, "settings") == 0 ||
			strcmp(key, STREAMS) == 0)) {
		members = member(key, data);
		wanted = config_with(api->cfg.config, members);
		effects = effects_of_restart(api, wanted, &changes);
		json_decref(changes);
		json_decref(wanted);
		json_decref(members);
	} else {
		effects = effects_new();
		if (restart)
			effects_add_restart(effects);
	}
	reply_effects(reply, "set-config", effects);
}

/* Warns in the answer if set-config removes all users.  The check of the
 * section permits this, because the next start creates a user. */
static void warn_no_user(const struct api *api, const json_t *request,
			 const char *key, const json_t *data,
			 struct reply *reply)
{
	json_t *document = json_object();
	struct errmsg warning;

	(void)json_object_set(document, key, (json_t *)(uintptr_t)data);
	if (strcmp(key, "users") == 0 && users_wants_warnings(request) &&
	    user_none(document) &&
	    users_lack_control(api, document, &warning))
		reply_warn(reply, CHECK_USERS_PATH, warning.text);
	json_decref(document);
}

/* Carries out set-config.  data: the new value of the section; NULL: it is
 * removed. */
static void set_config(struct api *api, const json_t *request,
		       const char *key, json_t *data, struct reply *reply)
{
	bool restart = json_is_true(json_object_get(request, "restart"));
	bool is_settings = strcmp(key, "settings") == 0;
	json_t *warnings;

	if ((data != NULL && !judge(key, data, reply)) ||
	    !judge_loops(api, key, data, reply) ||
	    !may_write(api, key, data, reply))
		return;
	if (is_settings &&
	    !certificate_judge(api, data, reply, settings_set_config))
		return;
	if (!files_are_judged(api, request, member(key, data), reply,
			      settings_set_config))
		return;
	warnings = section_warnings(api, request, key, data,
				    &reply->call->files);
	if (effects_only(request)) {
		foresee_config(api, key, data, restart, reply);
		section_warnings_add(warnings, reply);
		if (!restart)
			warn_no_user(api, request, key, data, reply);
		return;
	}
	host_files_log(api->files, key, data, reply->call);
	if (strcmp(key, "auth") == 0)
		auth_edit_sort(data);
	if (restart) {
		saved_reply(api, reply, &(struct saved_change){
			.command = "set-config",
			.take_members = member(key, data),
			.take_warnings = warnings,
			.apply = apply,
		});
		return;
	}
	config_set_section(api->cfg.config, key, json_incref(data));
	announce(api, "set-config", key, data);
	reply_ok(reply, "set-config");
	if (strcmp(key, "users") == 0 || strcmp(key, "auth") == 0)
		reply_when_saved(reply);
	section_warnings_add(warnings, reply);
	warn_no_user(api, request, key, data, reply);
	if (is_settings || strcmp(key, "users") == 0)
		users_warn_observers(api, users_wants_warnings(request),
				     reply);
}

static void settings_set_config(struct api *api, const json_t *request,
				struct reply *reply)
{
	const json_t *wanted = edit_get(request, "data");
	json_t *data;
	const char *key;

	if (!read_key(request, &key, reply) ||
	    !is_as_known(api, key, request, reply))
		return;
	data = json_deep_copy(wanted);
	keep_key(api, key, request, data);
	set_config(api, request, key, data, reply);
	json_decref(data);
}

static void settings_restart(struct api *api, const json_t *request,
			     struct reply *reply)
{
	const json_t *interrupt = edit_get(request, "interrupt");

	if (interrupt != NULL && !json_is_boolean(interrupt))
		reply_error(reply, 400, "interrupt: is not true or false");
	else
		saved_restart(api, reply, "restart", json_is_true(interrupt),
			      effects_only(request));
}

static void settings_set_license(struct api *api, const json_t *request,
				 struct reply *reply)
{
	const json_t *license = edit_get(request, "license");

	(void)api;
	/* accepted and ignored, because sluice needs no license */
	if (license != NULL && !json_is_string(license))
		reply_error(reply, 400, "license: is not a string");
	else if (effects_only(request))
		reply_effects(reply, "set-license", effects_new());
	else
		reply_ok(reply, "set-license");
}

const struct api_command settings_commands[] = {
	{ "restart", settings_restart, OBSERVER_FORBIDDEN, COMMAND_DRY },
	{ "set-config", settings_set_config, OBSERVER_HIDDEN, COMMAND_DRY },
	{ "set-license", settings_set_license, OBSERVER_FORBIDDEN,
	  COMMAND_DRY },
	{ "set-settings", settings_set, OBSERVER_HIDDEN, COMMAND_DRY },
	{ 0 },
};
