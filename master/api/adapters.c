/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands and paths of adapters.  A new id is also written into the addresses
 * of the streams that name the adapter. */
#include "common/base/alloc.h"
#include "master/api/apply.h"
#include "master/api/collection.h"
#include "master/api/effects.h"
#include "master/api/edit.h"
#include "master/api/input_edit.h"
#include "master/api/stream_refs.h"
#include "master/api/command.h"
#include "master/config/adapter_conf.h"
#include "master/config/config_fields.h"
#include "master/config/lnb_sharing.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/reconciler.h"
#include "proto/spec/ci_spec.h"
#include "proto/spec/t2mi_spec.h"
#include "proto/spec/tuner_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PROGRAM_MAX = 65535 };

/* True when an input of the stream is this adapter's. */
static bool feeds(const json_t *stream, const char *id)
{
	const json_t *input;
	size_t i;

	json_array_foreach(json_object_get(stream, "input"), i, input)
		if (input_edit_is_adapter(json_string_value(input), id))
			return true;
	return false;
}

/* --- set-adapter --- */

/* Makes a stream of a program that a scan names only by its number. */
static bool complete(json_t *stream, const char *adapter)
{
	static const char *const scanned[] = {
		"provider", "service_type", "scrambled", "caids",
	};
	const json_t *pnr = json_object_get(stream, "pnr");
	json_int_t number = json_integer_value(pnr);
	char *text;

	if (!json_is_integer(pnr) || number < 1 || number > PROGRAM_MAX)
		return false;
	text = xasprintf("dvb://%s#pnr=%d", adapter, (int)number);
	(void)json_object_set_new(stream, "input", json_pack("[s]", text));
	free(text);
	(void)json_object_del(stream, "pnr");
	/* what a scan says about the service is no key of a stream */
	for (size_t i = 0; i < ARRAY_LEN(scanned); i++)
		(void)json_object_del(stream, scanned[i]);
	if (json_object_get(stream, "type") == NULL)
		(void)json_object_set_new(stream, "type", json_string("spts"));
	if (json_object_get(stream, "enable") == NULL)
		(void)json_object_set_new(stream, "enable", json_true());
	return true;
}

/* The stream of item i of the scan; NULL after a reply. */
static json_t *make_stream(struct edit *e, size_t i, const json_t *others)
{
	const json_t *item = json_array_get(
		json_object_get(e->entry, "scan"), i);
	json_t *stream = edit_entry_copy(item);
	char text[GID_TEXT_MAX];
	struct errmsg error;
	const char *id;

	if (!json_is_object(item) ||
	    (json_object_get(stream, "input") == NULL &&
	     !complete(stream, edit_text(e->entry, "id")))) {
		reply_error(e->reply, 400, "adapter.scan[%zu]: is neither a "
			    "stream nor a program", i);
		json_decref(stream);
		return NULL;
	}
	if (json_object_get(stream, "id") == NULL) {
		edit_next_id(e->api, &e->next_gid, text);
		(void)json_object_set_new(stream, "id", json_string(text));
	}
	id = edit_text(stream, "id");
	if (apply_judge(e->api, stream, NULL, &error, NULL) < 0)
		reply_error(e->reply, 400, "adapter.scan[%zu]: %s", i,
			    error.text);
	else if (config_stream(e->api->cfg.config, id) != NULL ||
		 edit_find(others, "id", id) < json_array_size(others))
		reply_error(e->reply, 400, "adapter.scan[%zu]: id: \"%.64s\" "
			    "is the id of another stream", i, id);
	streams_count_versions(stream);
	if (e->reply->status == 0)
		return stream;
	json_decref(stream);
	return NULL;
}

/* A tuner that lacks a key is stored, but not run; a disabled adapter may have
 * any value. */
static bool judge_source(struct edit *e)
{
	struct tuner_spec spec;
	struct t2mi_spec t2mi;
	struct ci_spec ci;
	struct errmsg error;
	bool can_run = adapter_conf_can_run(e->entry, &error);
	bool lacks = !can_run && tuner_spec_is(e->entry) &&
		     t2mi_spec_parse(e->entry, &t2mi, NULL) == 0 &&
		     ci_spec_parse(e->entry, &ci, NULL) == 0 &&
		     tuner_spec_parse(e->entry, &spec, NULL) == -ENODATA;

	if (can_run)
		can_run = lnb_sharing_fits(
			config_section(e->api->cfg.config, ADAPTERS),
			e->entry, &error);
	if (!can_run && !lacks &&
	    json_is_true(json_object_get(e->entry, "enable")))
		reply_error(e->reply, 400, "adapter.%s", error.text);
	return e->reply->status == 0;
}

/* Results of a scan are stored as streams, not as a part of the adapter. */
static bool judge_adapter(struct edit *e)
{
	json_t *found = e->arg;
	size_t n = json_array_size(json_object_get(e->entry, "scan"));

	for (size_t i = 0; i < n && e->reply->status == 0; i++) {
		json_t *stream = make_stream(e, i, found);

		if (stream != NULL)
			(void)json_array_append_new(found, stream);
	}
	(void)json_object_del(e->entry, "scan");
	return e->reply->status == 0 && judge_source(e);
}

static void apply_adapters(struct edit *e)
{
	api_start_adapters(e->api);
}

static enum stream_fate rename_inputs(const json_t *stream, json_t **ret_new,
				      const void *arg)
{
	const struct edit *e = arg;
	const char *from = edit_text(e->old, "id");
	const char *to = edit_text(e->entry, "id");
	json_t *list, *input;
	size_t i;

	if (!feeds(stream, from) || (to != NULL && strcmp(from, to) == 0))
		return STREAM_KEPT;
	list = json_array();
	json_array_foreach(json_object_get(stream, "input"), i, input) {
		if (!input_edit_is_adapter(json_string_value(input), from)) {
			(void)json_array_append(list, input);
		} else if (to != NULL) {
			char *text = input_edit_adapter(
				json_string_value(input), to);

			(void)json_array_append_new(list, json_string(text));
			free(text);
		}
	}
	if (json_array_size(list) == 0) {
		json_decref(list);
		return STREAM_REMOVED;
	}
	*ret_new = stream_refs_inputs(stream, list);
	return STREAM_CHANGED;
}

static void add_found_streams(struct edit *e)
{
	json_t *stream;
	size_t i;

	json_array_foreach(e->arg, i, stream) {
		config_put_stream(e->api->cfg.config, NULL,
				  json_incref(stream));
		apply_stream(e->api, edit_text(stream, "id"), stream);
		apply_announce(e->api, stream, false);
	}
}

static enum stream_fate restart_fed(const json_t *stream, json_t **ret_new,
				    const void *id)
{
	(void)ret_new;
	return feeds(stream, id) ? STREAM_RESTARTED : STREAM_KEPT;
}

/* Does a process that may run end?  A new id, and a removal, change the streams
 * that read it. */
static bool interrupts(const struct edit *e)
{
	const char *id = edit_text(e->entry, "id");
	json_t *before = adapter_conf_keys(e->old);
	json_t *after = adapter_conf_keys(e->entry);
	bool ends = before != NULL && id != NULL &&
		    strcmp(id, edit_text(e->old, "id")) == 0 &&
		    (after == NULL || !json_equal(before, after));

	json_decref(before);
	json_decref(after);
	return ends;
}

static void foresee_streams(struct edit *e, json_t *effects)
{
	json_t *stream;
	size_t i;

	if (interrupts(e))
		json_decref(stream_refs_foresee(
			e->api, restart_fed, edit_text(e->entry, "id"),
			effects));
	json_array_foreach(e->arg, i, stream)
		effects_add_stream(effects, e->api, edit_text(stream, "id"),
				   stream, NULL);
}

static void adapters_set(struct api *api, const json_t *request,
			 struct reply *reply)
{
	static const struct collection adapters = {
		.command = "set-adapter",
		.section = ADAPTERS,
		.member = "adapter",
		.fields = &adapter_fields,
		.judge = judge_adapter,
		.apply = apply_adapters,
		.refers = rename_inputs,
		.finish = add_found_streams,
		.foresee = foresee_streams,
	};
	json_t *found = json_array();

	collection_set(&adapters, api, request, reply, found);
	json_decref(found);
}

/* --- other commands --- */

static void adapters_get(struct api *api, const json_t *request,
			 struct reply *reply)
{
	const json_t *adapter = edit_named(api, ADAPTERS, "adapter", request,
					   reply);

	if (adapter != NULL)
		reply_json(reply, json_pack("{s:s, s:O}", "get-adapter", "ok",
					    "adapter", adapter));
}

/* Replies which streams pause with this adapter; NULL: none. */
static void foresee_fed(const struct api *api, const char *id,
			const char *command, struct reply *reply)
{
	json_t *effects = effects_new();

	if (id != NULL)
		json_decref(stream_refs_foresee(api, restart_fed, id, effects));
	reply_effects(reply, command, effects);
}

static void adapters_toggle(struct api *api, const json_t *request,
			    struct reply *reply)
{
	const json_t *old = edit_named(api, ADAPTERS, "adapter", request,
				       reply);
	bool enable = !json_is_true(json_object_get(old, "enable"));
	json_t *adapter, *list, *message;

	if (old == NULL)
		return;
	if (effects_only(request)) {
		/* the end of an adapter takes the packets of its streams */
		foresee_fed(api, adapter_conf_can_run(old, NULL) && !enable
					 ? edit_text(old, "id") : NULL,
			    "toggle-adapter", reply);
		return;
	}
	adapter = json_copy((json_t *)old);
	(void)json_object_set_new(adapter, "enable", json_boolean(enable));
	list = edit_list(api, ADAPTERS);
	(void)json_array_set_new(list, edit_find(list, "id",
						 edit_text(old, "id")),
				 adapter);
	config_set_section(api->cfg.config, ADAPTERS, list);
	api_start_adapters(api);
	message = edit_message("set-adapter");
	(void)json_object_set(message, "adapter", adapter);
	edit_announce(api, message);
	reply_ok(reply, "toggle-adapter");
}

static void adapters_restart(struct api *api, const json_t *request,
			     struct reply *reply)
{
	const json_t *adapter = edit_named(api, ADAPTERS, "adapter", request,
					   reply);

	if (adapter == NULL)
		return;
	if (effects_only(request)) {
		foresee_fed(api, edit_text(adapter, "id"), "restart-adapter",
			    reply);
		return;
	}
	adapter_procs_restart(reconciler_adapters(api->cfg.reconciler),
			      edit_text(adapter, "id"));
	json_decref(stream_refs_follow(api, restart_fed,
				       edit_text(adapter, "id")));
	reply_ok(reply, "restart-adapter");
}

/* --- paths --- */

static const json_t *find(const struct api *api, const char *id,
			  struct reply *reply)
{
	const json_t *adapter = edit_entry(api, ADAPTERS, id);

	if (adapter == NULL)
		reply_error(reply, 404, "there is no adapter \"%.64s\"", id);
	return adapter;
}

static void adapters_info(struct api *api, const char *id,
			  enum status_span span, struct reply *reply)
{
	const json_t *adapter = find(api, id, reply);

	(void)span;
	if (adapter != NULL)
		reply_json(reply, json_incref((json_t *)adapter));
}

static void add_status(const struct api *api, json_t *status,
		       const json_t *adapter, enum status_span span)
{
	json_t *name = json_object_get(adapter, "name");

	if (name != NULL)
		(void)json_object_set(status, "name", name);
	adapters_describe(api, adapter, span, status);
}

static void adapters_status(struct api *api, const char *id,
			    enum status_span span, struct reply *reply)
{
	const json_t *adapter = find(api, id, reply);
	const char *instance = api_instance(api);
	json_t *status;

	if (adapter == NULL)
		return;
	status = json_pack("{s:I}", "timestamp", (json_int_t)time(NULL));
	if (instance != NULL)
		(void)json_object_set_new(status, "instance",
					  json_string(instance));
	add_status(api, status, adapter, span);
	reply_json(reply, status);
}

json_t *adapters_overview(const struct api *api)
{
	static const char *const same[] = { "id", "type", "enable" };
	json_t *list = json_array(), *adapter;
	size_t i;

	json_array_foreach(config_section(api->cfg.config, ADAPTERS), i,
			   adapter) {
		json_t *o = json_object();

		for (size_t k = 0; k < ARRAY_LEN(same); k++)
			(void)json_object_set(o, same[k],
					      json_object_get(adapter,
							      same[k]));
		add_status(api, o, adapter, STATUS_SECOND);
		(void)json_array_append_new(list, o);
	}
	return list;
}

const struct api_command adapters_commands[] = {
	{ "get-adapter", adapters_get, OBSERVER_ALLOWED, 0 },
	{ "restart-adapter", adapters_restart, OBSERVER_FORBIDDEN,
	  COMMAND_DRY },
	{ "set-adapter", adapters_set, OBSERVER_FORBIDDEN,
	  COMMAND_NAMES_OBJECT | COMMAND_DRY },
	{ "toggle-adapter", adapters_toggle, OBSERVER_FORBIDDEN, COMMAND_DRY },
	{ 0 },
};

const struct api_path adapters_paths[] = {
	{ "api/adapter-info", PATH_ID, OBSERVER_ALLOWED,
	  .get = adapters_info },
	{ "api/adapter-status", PATH_ID, OBSERVER_ALLOWED,
	  .get = adapters_status, .takes_span = true },
	{ 0 },
};
