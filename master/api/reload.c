/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration file was changed by another program: SIGHUP, and the
 * command reload. */
#include "common/base/alloc.h"
#include "master/api/alarms.h"
#include "master/api/apply.h"
#include "master/api/certificate.h"
#include "master/api/call.h"
#include "master/api/edit.h"
#include "master/api/reply_after_save.h"
#include "master/auth/auth.h"
#include "master/config/write_paths.h"
#include "master/viewers/viewers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* True when every member of a that needs a restart is the same in b. */
static bool keeps(const json_t *a, const json_t *b)
{
	static const char *const live[] = { STREAMS, "gid", "users", "log" };
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)a, key, value) {
		bool is_live = false;

		for (size_t i = 0; i < ARRAY_LEN(live); i++)
			is_live |= strcmp(live[i], key) == 0;
		if (!is_live && !json_equal(value, json_object_get(b, key)))
			return false;
	}
	return true;
}

/* Stops, announces and starts the streams that differ from the old list. */
static void follow(struct api *api, const json_t *old)
{
	const json_t *stream;
	size_t i;

	json_array_foreach(old, i, stream) {
		const char *id = edit_text(stream, "id");
		json_t *marker;

		if (id == NULL || config_stream(api->cfg.config, id) != NULL)
			continue;
		apply_removal(api, id);
		apply_warn_readers(api, id, NULL, NULL);
		marker = edit_removal(id, false);
		apply_announce(api, marker, false);
		json_decref(marker);
	}
	json_array_foreach(config_section(api->cfg.config, STREAMS), i,
			   stream) {
		const char *id = edit_text(stream, "id");

		if (json_equal(json_array_get(old, edit_find(old, "id", id)),
			       stream))
			continue;
		apply_stream(api, id, stream);
		apply_warn_readers(api, id, stream, NULL);
		apply_announce(api, stream, true);
	}
	apply_waiting(api);
}

/* Appends the name of each section of a that is other or none in b, once. */
static void add_sections(json_t *list, const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)a, key, value) {
		json_t *name = json_string(key), *known;
		bool is_listed = strcmp(key, STREAMS) == 0 ||
				 strcmp(key, "gid") == 0 ||
				 json_equal(value, json_object_get(b, key));
		size_t i;

		json_array_foreach(list, i, known)
			is_listed = is_listed || json_equal(known, name);
		if (!is_listed)
			(void)json_array_append(list, name);
		json_decref(name);
	}
}

/* Appends the id of each stream of a that b does not have (others: false), or
 * has otherwise. */
static void add_streams(json_t *list, const json_t *a, const json_t *b,
			bool others)
{
	const json_t *stream;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)a, i, stream) {
		const char *id = edit_text(stream, "id");
		const json_t *same =
			id != NULL ? json_array_get(b, edit_find(b, "id", id))
				   : NULL;

		if (id != NULL && (same != NULL) == others &&
		    (same == NULL || !json_equal(stream, same)))
			(void)json_array_append_new(list, json_string(id));
	}
}

static json_t *list_changes(const json_t *old, const json_t *new)
{
	const json_t *before = json_object_get(old, STREAMS);
	const json_t *after = json_object_get(new, STREAMS);
	json_t *added = json_array(), *changed = json_array();
	json_t *removed = json_array(), *sections = json_array();

	add_streams(added, after, before, false);
	add_streams(changed, after, before, true);
	add_streams(removed, before, after, false);
	add_sections(sections, new, old);
	add_sections(sections, old, new);
	return json_pack("{s:o, s:o, s:o, s:o}", "added", added, "changed",
			 changed, "removed", removed, "sections", sections);
}

bool api_reload(struct api *api, const json_t *document, json_t **ret_changes)
{
	json_t *old = json_copy(
		(json_t *)(uintptr_t)config_document(api->cfg.config));
	const json_t *settings = config_settings(api->cfg.config);
	bool can;

	/* settings that wait for a restart are not in force */
	(void)json_object_del(old, "settings");
	if (settings != NULL)
		(void)json_object_set(old, "settings",
				      (json_t *)(uintptr_t)settings);
	can = keeps(old, document) && keeps(document, old);
	*ret_changes = list_changes(old, document);

	/* an operator changed the file: its paths are permitted for writing */
	if (can) {
		write_paths_add_document(api->cfg.write_paths, document);
		config_replace(api->cfg.config, document);
		follow(api, json_object_get(old, STREAMS));
		/* the files of the certificate may have changed */
		certificate_apply(api);
		if (api->cfg.auth != NULL)
			auth_users_changed(api->cfg.auth);
		viewers_changed(api->cfg.viewers);
		event_review(api);
		if (api->cfg.set_log != NULL)
			api->cfg.set_log(api->cfg.arg);
		alarms_set_reload(api->alarms, NULL);
	}
	json_decref(old);
	return can;
}

struct reloading {
	struct api *api;
	struct call *call; /* NULL when the client has left */
	json_t *body; /* of the answer after a trial, or NULL */
};

static void answer(struct reloading *r, int status, const char *error,
		   json_t *body)
{
	if (r->call != NULL && error != NULL)
		reply_error(call_reply(r->call), status, "%s", error);
	else if (r->call != NULL)
		reply_json(call_reply(r->call), json_incref(body));
	if (r->call != NULL)
		call_finish(r->call);
	json_decref(body);
	free(r);
}

/* The trial of the new instance has ended. */
static void on_tried(const char *error, void *arg)
{
	struct reloading *r = arg;

	if (error == NULL)
		saved_restart_soon(r->api);
	answer(r, 503, error, r->body);
}

static void on_reloaded(const char *error, const json_t *changes,
			bool restarts, void *arg)
{
	struct reloading *r = arg;
	json_t *body = json_object();

	(void)json_object_set_new(body, "reload", json_string("ok"));
	(void)json_object_set_new(body, "restart", json_boolean(restarts));
	(void)json_object_update(body, (json_t *)(uintptr_t)changes);
	r->body = body;
	if (restarts)
		r->api->cfg.try_restart(on_tried, r, r->api->cfg.arg);
	else if (changes != NULL)
		answer(r, 0, NULL, body);
	else if (error == NULL)
		answer(r, 500, "the service stops", body);
	else
		answer(r, config_is_saved(r->api->cfg.config) ? 400 : 409,
		       error, body);
}

void api_set_reload(struct api *api, reload_fn *reload, void *arg)
{
	api->reload = reload;
	api->reload_arg = arg;
}

static void reload_run(struct api *api, const json_t *request,
		       struct reply *reply)
{
	struct reloading *r = xcalloc(1, sizeof *r);
	int err = -ENOENT;

	(void)request;
	r->api = api;
	if (api->reload != NULL)
		err = api->reload(on_reloaded, r, api->reload_arg);
	if (err == 0) {
		reply_later_into(reply, &r->call);
		return;
	}
	free(r);
	if (err == -EBUSY)
		reply_error(reply, 409, "a change made through the API is "
			    "about to overwrite the file: repeat the command "
			    "in a second");
	else
		reply_error(reply, 404, "sluice runs without a file");
}

const struct api_command reload_commands[] = {
	{ "reload", reload_run, OBSERVER_FORBIDDEN, 0 },
	{ 0 },
};
