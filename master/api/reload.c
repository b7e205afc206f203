/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies the configuration file that another program has changed, and answers
 * the command reload. */
#include "common/base/alloc.h"
#include "master/api/alarms.h"
#include "master/api/apply.h"
#include "master/api/certificate.h"
#include "master/api/changes.h"
#include "master/api/call.h"
#include "master/api/edit.h"
#include "master/api/reply_after_save.h"
#include "master/auth/auth.h"
#include "master/config/check.h"
#include "master/config/write_paths.h"
#include "master/streams/reconciler.h"
#include "master/viewers/viewers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The members whose changes need no restart. */
static const char *const live[] = { STREAMS, "gid", "users", "auth",
				    "log" };

/* True: each member of a whose change needs a restart has the same value in
 * b. */
static bool keeps(const json_t *a, const json_t *b)
{
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

/* Applies and announces the changes of the list of streams since the list
 * `old': stops removed streams, and starts new and changed ones. */
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
		apply_warn_idle(id, stream);
		apply_warn_readers(api, id, stream, NULL);
		apply_announce(api, stream, true);
	}
	apply_waiting(api);
}

/* Applies adapters, softcams and systems of cas.  These may differ from the
 * running ones although no restart is needed, because set-config has stored
 * them, or commands have changed them after a reload whose restart failed. */
static void start_others(struct api *api)
{
	reconciler_set_cas(api->cfg.reconciler,
			   config_section(api->cfg.config, "cas"));
	api_start_softcams(api);
	api_start_adapters(api);
}

/* Takes the new document.  in_force: no restart is needed. */
static void take(struct api *api, const json_t *document, bool in_force)
{
	json_t *streams = json_incref((json_t *)(uintptr_t)config_section(
		api->cfg.config, STREAMS));

	/* an operator has changed the file, so from now on the service may
	 * write the paths that this file names, and no others */
	write_paths_set_document(api->cfg.write_paths, document);
	config_replace(api->cfg.config, document, in_force);
	/* changed streams already use the new settings, so a restart keeps
	 * their workers */
	reconciler_set_defaults(api->cfg.reconciler,
				json_object_get(document, "settings"));
	if (in_force)
		start_others(api);
	follow(api, streams);
	json_decref(streams);
	/* reads the files of the certificate again */
	if (in_force)
		certificate_apply(api);
	if (api->cfg.auth != NULL)
		auth_users_changed(api->cfg.auth);
	viewers_changed(api->cfg.viewers);
	/* a file with a faulty section auth is never taken */
	reconciler_close_viewers(api->cfg.reconciler, false);
	event_review(api);
	if (api->cfg.set_log != NULL)
		api->cfg.set_log(api->cfg.arg);
	alarms_set_reload(api->alarms, NULL);
}

struct reloaded {
	struct api *api;
	json_t *changes;
	reload_done_fn *done;
	void *arg;
};

static void end(struct reloaded *r, const struct reload_result *result)
{
	r->done(result, r->arg);
	json_decref(r->changes);
	free(r);
}

/* The trial of the new instance has ended; error: why it failed, NULL: it did
 * not. */
static void on_tried(const char *error, void *arg)
{
	struct reload_result result = { .status = 200, .restarts = true };
	struct reloaded *r = arg;
	struct errmsg text;

	result.changes = r->changes;
	if (error == NULL) {
		saved_restart_soon(r->api);
	} else {
		api_restart_failed(r->api);
		errmsg_set(&text, "only the sections make_stream, users, auth "
				  "and log of the file are in effect: the "
				  "restart failed: %s", error);
		result.status = 503;
		result.error = text.text;
	}
	end(r, &result);
}

/* Sets a member of an object; value NULL: removes it. */
static void put(json_t *object, const char *key, const json_t *value)
{
	if (value != NULL)
		(void)json_object_set(object, key, (json_t *)(uintptr_t)value);
	else
		(void)json_object_del(object, key);
}

/* Sets api->in_force to the document that the service runs with: a section
 * whose change waits for a restart has its former value there. */
static void find_in_force(struct api *api)
{
	const struct config *config = api->cfg.config;

	if (api->in_force == NULL)
		api->in_force = json_copy(
			(json_t *)(uintptr_t)config_document(config));
	for (size_t i = 0; i < ARRAY_LEN(live); i++)
		put(api->in_force, live[i], config_section(config, live[i]));
	put(api->in_force, "settings", config_settings(config));
}

void api_reload(struct api *api, const json_t *document, reload_done_fn *done,
		void *arg)
{
	struct reloaded *r = xcalloc(1, sizeof *r);
	bool can;

	*r = (struct reloaded){ .api = api, .done = done, .arg = arg };
	find_in_force(api);
	can = keeps(api->in_force, document) && keeps(document, api->in_force);
	r->changes = changes_list(api->in_force, document);
	/* before the trial, so that later changes are based on the new
	 * document */
	take(api, document, can);
	if (!can) {
		api->cfg.try_restart(false, on_tried, r, api->cfg.arg);
		return;
	}
	json_decref(api->in_force);
	api->in_force = NULL;
	end(r, &(struct reload_result){ .status = 200, .changes = r->changes });
}

/* A command reload that waits for the end of the reload.  A restart that is due
 * waits for the reply of the command. */
struct reloading {
	struct api *api;
	struct call *call; /* NULL when the client has left */
};

static void on_gone(void *arg)
{
	struct reloading *r = arg;

	r->call = NULL;
	saved_restart_release(r->api);
}

/* Returns the reply to a command that has reloaded the file. */
static json_t *make_body(const struct api *api,
			 const struct reload_result *result)
{
	json_t *body = json_pack("{s:s, s:b}", "reload", "ok", "restart",
				 result->restarts);
	json_t *warnings = json_array();
	struct errmsg warning;

	(void)json_object_update(body, (json_t *)(uintptr_t)result->changes);
	if (result->warning != NULL)
		warnings_add(warnings, "", result->warning);
	if (users_lack_control(api, config_document(api->cfg.config),
			       &warning))
		warnings_add(warnings, CHECK_USERS_PATH, warning.text);
	if (json_array_size(warnings) > 0)
		(void)json_object_set(body, "warnings", warnings);
	json_decref(warnings);
	return body;
}

static void on_reloaded(const struct reload_result *result, void *arg)
{
	struct reloading *r = arg;
	bool is_held = r->call != NULL;
	struct reply *reply = is_held ? call_reply(r->call) : NULL;

	if (reply != NULL && result->error != NULL) {
		reply_error(reply, result->status, "%s", result->error);
	} else if (reply != NULL) {
		/* also checks the certificate, because its files may have
		 * changed or be missing */
		certificate_answer(r->call, make_body(r->api, result));
	}
	if (reply != NULL && result->error != NULL)
		call_finish(r->call);
	if (is_held)
		saved_restart_release(r->api);
	free(r);
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
	struct errmsg error = { "sluice runs without a configuration file "
				"(-c)" };
	int err = -ENOENT;

	(void)request;
	r->api = api;
	if (api->reload != NULL)
		err = api->reload(on_reloaded, r, &error, api->reload_arg);
	if (err == 0) {
		r->call = reply_later(reply, on_gone, r);
		saved_restart_hold(api);
		return;
	}
	free(r);
	reply_error(reply, err == -ENOENT ? 404 : 409, "%s", error.text);
}

const struct api_command reload_commands[] = {
	{ "reload", reload_run, OBSERVER_FORBIDDEN, 0 },
	{ 0 },
};
