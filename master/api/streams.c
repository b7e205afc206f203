/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands and paths of streams. */
#include "master/api/command.h"

#include "common/base/buf.h"
#include "master/api/apply.h"
#include "master/api/collection.h"
#include "master/api/effects.h"
#include "master/api/host_files.h"
#include "master/api/stream_adapters.h"
#include "master/config/check_host.h"
#include "master/config/stream_links.h"
#include "master/streams/reconciler.h"
#include "master/config/write_paths.h"
#include "master/viewers/viewers.h"
#include "proto/spec/stream_spec.h"

#include <string.h>

const json_t *api_request_stream(struct api *api, const json_t *request,
				 struct reply *reply)
{
	return edit_named(api, STREAMS, "stream", request, reply);
}

void streams_count_versions(json_t *stream)
{
	static const char *const spts[] = { "pmt_version", "sdt_version" };
	static const char *const mpts[] = { "pat_version", "cat_version",
					    "sdt_version", "nit_version" };
	const char *type = edit_text(stream, "type");
	bool is_mpts = type != NULL && strcmp(type, "mpts") == 0;
	const char *const *keys = is_mpts ? mpts : spts;
	size_t n = is_mpts ? ARRAY_LEN(mpts) : ARRAY_LEN(spts);

	for (size_t i = 0; i < n; i++) {
		const json_t *old = json_object_get(stream, keys[i]);
		json_int_t version = is_mpts ? 0 : 1;

		if (json_is_integer(old))
			version = (json_integer_value(old) % TABLE_VERSIONS +
				   1) % TABLE_VERSIONS;
		(void)json_object_set_new(stream, keys[i],
					  json_integer(version));
	}
}

static bool judge_stream(struct edit *e)
{
	const char *self = edit_text(e->old, "id");
	struct errmsg error;

	if (write_paths_judge_stream(e->api->cfg.write_paths, e->entry,
				     &error) < 0) {
		reply_error(e->reply, 400, "stream.%s", error.text);
		return false;
	}
	if (apply_judge(e->api, e->entry, self, &error, e->arg) < 0) {
		reply_error(e->reply, 400, "%s", error.text);
		return false;
	}
	streams_count_versions(e->entry);
	return true;
}

static bool is_renamed(const struct edit *e)
{
	const char *id = edit_text(e->entry, "id");
	const char *old = edit_text(e->old, "id");

	return id != NULL && old != NULL && strcmp(id, old) != 0;
}

static void run_stream(struct edit *e)
{
	const char *id = edit_text(e->entry, "id");
	const char *old_id = edit_text(e->old, "id");

	if (old_id != NULL && id == NULL)
		apply_removal(e->api, old_id);
	else if (is_renamed(e))
		apply_rename(e->api, old_id, id);
	if (id != NULL)
		apply_stream(e->api, id, e->entry);
}

/* A stream_refs_fn: inputs that read the renamed stream get its new id. */
static enum stream_fate rename_links(const json_t *stream, json_t **ret_new,
				     const void *arg)
{
	const struct edit *e = arg;

	if (!is_renamed(e))
		return STREAM_KEPT;
	*ret_new = stream_links_rename(stream, edit_text(e->old, "id"),
				       edit_text(e->entry, "id"));
	return *ret_new != NULL ? STREAM_FOLLOWS : STREAM_KEPT;
}

static bool has_changed(const struct edit *e, const char *key)
{
	const json_t *old = json_object_get(e->old, key);
	const json_t *now = json_object_get(e->entry, key);

	return old != now && !json_equal(old, now);
}

static void finish_stream(struct edit *e)
{
	const char *id = edit_text(e->entry, "id");
	unsigned n_files = 0;

	if (e->old != NULL && (is_renamed(e) || has_changed(e, "groups") ||
			       has_changed(e, "hls_group")))
		viewers_groups_changed(e->api->cfg.viewers);

	/* after the event that announces the new id */
	if (is_renamed(e)) {
		status_repeat_alarms(e->api->cfg.status, id);
		stream_adapters_rename(e->api, edit_text(e->old, "id"), id);
	}
	apply_waiting(e->api);
	if (e->entry != NULL)
		n_files = check_host_stream(e->entry, HOST_NETWORK,
					    apply_add_warning, e->arg);
	apply_warn(e->api, id, e->arg, e->reply);
	if (e->old != NULL)
		apply_warn_readers(e->api, id != NULL ? id : e->id, e->entry,
				   e->reply);
	if (n_files > 0)
		host_files_warn(e->api->stream_files, id, e->entry, e->reply);
}

static void foresee_stream(struct edit *e, json_t *effects)
{
	const char *old_id = edit_text(e->old, "id");
	const char *id = old_id != NULL ? old_id : edit_text(e->entry, "id");
	unsigned n_files = 0;

	effects_add_stream(effects, e->api, id, e->entry, NULL);
	if (e->entry != NULL)
		n_files = check_host_stream(e->entry, HOST_NETWORK,
					    apply_add_warning, e->arg);
	apply_warn(e->api, NULL, e->arg, e->reply);
	if (e->old != NULL)
		apply_foresee_readers(e->api, id, e->entry, e->reply);
	if (n_files > 0)
		host_files_warn(e->api->stream_files, NULL, e->entry,
				e->reply);
}

static void streams_set(struct api *api, const json_t *request,
			struct reply *reply)
{
	static const struct collection streams = {
		.command = "set-stream",
		.section = STREAMS,
		.member = "stream",
		.judge = judge_stream,
		.apply = run_stream,
		.refers = rename_links,
		.finish = finish_stream,
		.foresee = foresee_stream,
	};
	struct buf warnings = { 0 };

	collection_set(&streams, api, request, reply, &warnings);
	buf_done(&warnings);
}

/* --- other commands --- */

static void streams_get(struct api *api, const json_t *request,
			struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);

	if (stream != NULL)
		reply_json(reply, json_pack("{s:s, s:O}", "get-stream", "ok",
					    "stream", stream));
}

static void streams_toggle(struct api *api, const json_t *request,
			   struct reply *reply)
{
	const json_t *old = api_request_stream(api, request, reply);
	bool enable = !json_is_true(json_object_get(old, "enable"));
	struct buf warnings = { 0 };
	struct errmsg error;
	json_t *stream;
	const char *id;

	if (old == NULL)
		return;
	stream = json_deep_copy(old);
	id = edit_text(stream, "id");
	(void)json_object_set_new(stream, "enable", json_boolean(enable));
	/* a stream with an error can be disabled, but not enabled */
	if (enable && apply_judge(api, stream, id, &error, &warnings) < 0) {
		reply_error(reply, 400, "%s", error.text);
		json_decref(stream);
		buf_done(&warnings);
		return;
	}
	if (effects_only(request)) {
		json_t *effects = effects_new();

		reply_effects(reply, "toggle-stream", effects);
		foresee_stream(&(struct edit){ .api = api, .old = stream,
					       .entry = stream,
					       .arg = &warnings,
					       .reply = reply }, effects);
		json_decref(stream);
		return;
	}
	config_put_stream(api->cfg.config, id, stream);
	apply_stream(api, id, stream);
	apply_announce(api, stream, false);
	reply_ok(reply, "toggle-stream");
	finish_stream(&(struct edit){ .api = api, .old = stream,
				      .entry = stream, .arg = &warnings,
				      .reply = reply });
}

static void streams_restart(struct api *api, const json_t *request,
			    struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);
	const char *id = edit_text(stream, "id");
	const char *fault = stream != NULL ? status_fault(api->cfg.status, id)
					   : NULL;
	struct stream_proc_info info = { 0 };

	if (stream == NULL)
		return;
	(void)reconciler_get_stream(api->cfg.reconciler, id, &info);
	if (effects_only(request)) {
		json_t *effects = effects_new();

		if (info.pid != 0)
			effects_add(effects, api, id, STREAM_RESTARTS);
		reply_effects(reply, "restart-stream", effects);
	} else {
		reconciler_restart_stream(api->cfg.reconciler, id);
		reply_ok(reply, "restart-stream");
	}
	if (!json_is_true(json_object_get(stream, "enable")))
		reply_warn(reply, "stream.enable", "the stream is disabled: "
						   "nothing was restarted");
	else if (fault != NULL)
		reply_warn(reply, "stream does not run", fault);
	else if (info.waiting)
		reply_warn(reply, "stream.http_keep_active", "the stream waits "
			   "for a viewer: nothing was restarted");
}

static void streams_check(struct api *api, const json_t *request,
			  struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);
	const json_t *with_status = json_object_get(request, "status");
	json_t *body, *status;
	bool ok = false;

	if (stream == NULL)
		return;
	if (with_status != NULL && !json_is_boolean(with_status) &&
	    !json_is_null(with_status)) {
		reply_error(reply, 400, "status: is not true or false");
		return;
	}
	status = status_check(api->cfg.status, edit_text(stream, "id"), &ok);
	body = json_object();
	if (json_is_true(with_status)) {
		(void)json_object_set(body, "status", status);
		ok = true;
	}
	(void)json_object_set_new(body, "check-stream",
				  ok ? json_string("ok") : json_false());
	json_decref(status);
	reply_json(reply, body);
}

/* --- paths --- */

/* Replies with a body (taken); NULL: replies 404, because there is no such
 * stream. */
static void reply_or_404(struct reply *reply, const char *id, json_t *take)
{
	if (take != NULL)
		reply_json(reply, take);
	else
		reply_error(reply, 404, "there is no stream \"%.64s\"", id);
}

static void streams_info(struct api *api, const char *id, enum status_span span,
			 struct reply *reply)
{
	(void)span;
	/* the cast: only the reference count of the stream changes */
	reply_or_404(reply, id, json_incref(
			(json_t *)config_stream(api->cfg.config, id)));
}

static void streams_inputs(struct api *api, const char *id,
			   enum status_span span, struct reply *reply)
{
	(void)span;
	reply_or_404(reply, id, status_inputs(api->cfg.status, id,
					      api_instance(api)));
}

static void streams_outputs(struct api *api, const char *id,
			    enum status_span span, struct reply *reply)
{
	(void)span;
	reply_or_404(reply, id, status_outputs(api->cfg.status, id,
					       api_instance(api)));
}

static void streams_status(struct api *api, const char *id,
			   enum status_span span, struct reply *reply)
{
	reply_or_404(reply, id, status_stream(api->cfg.status, id, span,
					      api_instance(api)));
}

const struct api_command streams_commands[] = {
	{ "check-stream", streams_check, OBSERVER_ALLOWED, 0 },
	{ "get-stream", streams_get, OBSERVER_ALLOWED, 0 },
	{ "restart-stream", streams_restart, OBSERVER_FORBIDDEN, COMMAND_DRY },
	{ "set-stream", streams_set, OBSERVER_FORBIDDEN,
	  COMMAND_NAMES_OBJECT | COMMAND_DRY },
	{ "toggle-stream", streams_toggle, OBSERVER_FORBIDDEN, COMMAND_DRY },
	{ 0 },
};

const struct api_path streams_paths[] = {
	{ "api/stream-info", PATH_ID, OBSERVER_ALLOWED,
	  .get = streams_info },
	{ "api/stream-inputs", PATH_ID, OBSERVER_ALLOWED,
	  .get = streams_inputs },
	{ "api/stream-outputs", PATH_ID, OBSERVER_ALLOWED,
	  .get = streams_outputs },
	{ "api/stream-status", PATH_ID, OBSERVER_ALLOWED,
	  .get = streams_status, .takes_span = true },
	{ 0 },
};
