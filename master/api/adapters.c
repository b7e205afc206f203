/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands and paths of adapters.  If an adapter gets a new id, the dvb://
 * addresses of the streams that read it are changed to the new id. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "master/api/adapter_warnings.h"
#include "master/api/apply.h"
#include "master/api/collection.h"
#include "master/api/effects.h"
#include "master/api/edit.h"
#include "master/api/input_edit.h"
#include "master/api/lnb_sharers.h"
#include "master/api/section_warnings.h"
#include "master/api/stream_refs.h"
#include "master/api/command.h"
#include "master/config/adapter_conf.h"
#include "master/config/config_fields.h"
#include "master/config/link_graph.h"
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

/* True: an input of the stream reads this adapter. */
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

/* What set-adapter has found out so far; each member except `found' is NULL
 * before that. */
struct adapter_change {
	json_t *found;   /* streams made from the results of a scan */
	json_t *list;    /* all adapters, with the change applied */
	json_t *stopped; /* result of lnb_sharers_stopped() */
	/* adapters whose lnb_adapter was changed to the new id */
	json_t *renamed;
};

/* Makes a stream of a program that the results of a scan name only by its
 * number; false: the program has no valid number. */
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
	/* details of the service are no keys of a stream */
	for (size_t i = 0; i < ARRAY_LEN(scanned); i++)
		(void)json_object_del(stream, scanned[i]);
	if (json_object_get(stream, "type") == NULL)
		(void)json_object_set_new(stream, "type", json_string("spts"));
	if (json_object_get(stream, "enable") == NULL)
		(void)json_object_set_new(stream, "enable", json_true());
	return true;
}

/* Returns the stream of item i of the scan; NULL: the reply already has the
 * error. */
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

/* Judges the source of an enabled adapter.  A tuner without a required key is
 * stored, but does not run; a disabled adapter may have any value.  list: all
 * adapters, with this entry.  False: the reply already has the error. */
static bool judge_source(struct edit *e, const json_t *list)
{
	struct errmsg error;

	if (json_is_true(json_object_get(e->entry, "enable")) &&
	    adapter_conf_judge(list, e->entry, &error) == -EINVAL)
		reply_error(e->reply, 400, "adapter.%s", error.text);
	return e->reply->status == 0;
}

/* Judges that the adapter does not receive, through streams, its own output.  A
 * disabled adapter is judged as well, because toggle-adapter does not judge.
 * The streams of a scan are added, because they are not stored yet.  False: the
 * reply already has the error. */
static bool judge_loop(struct edit *e, const struct adapter_change *change)
{
	json_t *streams = edit_list(e->api, STREAMS);
	struct link_graph graph;
	struct errmsg error;

	(void)json_array_extend(streams, change->found);
	link_graph_init(&graph, streams, change->list);
	if (link_graph_adapter_loops(&graph, e->entry, edit_text(e->old, "id"),
				     &error))
		reply_error(e->reply, 400, "adapter.%s", error.text);
	link_graph_done(&graph);
	json_decref(streams);
	return e->reply->status == 0;
}

/* Returns the list of adapters with the change, a new reference.  Adapters that
 * share the LNB get the new id in lnb_adapter. */
static json_t *make_list(struct edit *e)
{
	struct adapter_change *change = e->arg;
	json_t *list = edit_list(e->api, ADAPTERS);
	const char *to = edit_text(e->entry, "id");
	const char *from = edit_text(e->old, "id");

	if (e->old != NULL && e->entry == NULL)
		(void)json_array_remove(list, e->place);
	else if (e->old != NULL)
		(void)json_array_set(list, e->place, e->entry);
	else
		(void)json_array_append(list, e->entry);
	if (from != NULL && to != NULL && strcmp(from, to) != 0)
		change->renamed = lnb_sharers_rename(list, from, to);
	return list;
}

/* Judges set-adapter.  Results of a scan become streams, and are not stored in
 * the adapter.  False: the reply already has the error. */
static bool judge_adapter(struct edit *e)
{
	struct adapter_change *change = e->arg;
	json_t *found = change->found;
	size_t n = json_array_size(json_object_get(e->entry, "scan"));

	for (size_t i = 0; i < n && e->reply->status == 0; i++) {
		json_t *stream = make_stream(e, i, found);

		if (stream != NULL)
			(void)json_array_append_new(found, stream);
	}
	(void)json_object_del(e->entry, "scan");
	if (e->reply->status != 0)
		return false;
	change->list = make_list(e);
	change->stopped = lnb_sharers_stopped(
		config_section(e->api->cfg.config, ADAPTERS), change->list);
	return judge_loop(e, change) && judge_source(e, change->list);
}

static bool judge_removal(struct edit *e)
{
	struct adapter_change *change = e->arg;

	change->list = make_list(e);
	change->stopped = lnb_sharers_stopped(
		config_section(e->api->cfg.config, ADAPTERS), change->list);
	return true;
}

static void apply_adapters(struct edit *e)
{
	const struct adapter_change *change = e->arg;

	if (json_array_size(change->renamed) > 0)
		config_set_section(e->api->cfg.config, ADAPTERS,
				   json_incref(change->list));
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

static bool runs(const json_t *adapter)
{
	return json_is_true(json_object_get(adapter, "enable")) &&
	       adapter_conf_can_run(adapter, NULL);
}

/* True: the change replaces the process of the adapter, while the streams that
 * read it keep theirs and wait for the input.  False as well for a new id and
 * for a removal, which change these streams. */
static bool is_replaced(const struct edit *e)
{
	const char *id = edit_text(e->entry, "id");
	json_t *before = adapter_conf_keys(e->old);
	json_t *after = adapter_conf_keys(e->entry);
	bool ends = before != NULL && after != NULL && id != NULL &&
		    strcmp(id, edit_text(e->old, "id")) == 0 &&
		    !json_equal(before, after);

	json_decref(before);
	json_decref(after);
	return ends;
}

/* Adds warnings about the streams and adapters that the change affects.
 * Adapters that name a removed adapter in lnb_adapter are not stopped. */
static void warn_affected(struct edit *e, bool is_stored)
{
	const struct adapter_change *change = e->arg;
	const char *from = edit_text(e->old, "id");
	const json_t *item;
	struct errmsg error;
	json_t *ids;
	size_t i;

	adapter_warn_stopped(e->api, e->request, change->stopped, e->reply);
	/* streams name the new id if the change is stored, else the old one */
	if (e->entry != NULL && runs(e->old) && !runs(e->entry))
		adapter_warn_ended(e->api, e->request, e->entry,
				   is_stored ? edit_text(e->entry, "id") : from,
				   e->reply);
	if (is_replaced(e))
		adapter_warn_replaced(e->api, e->request, from, e->reply);
	if (e->entry != NULL || from == NULL)
		return;
	ids = lnb_sharers_of(change->list, from);
	json_array_foreach(ids, i, item) {
		const char *id = json_string_value(item);

		errmsg_set(&error, "lnb_adapter: there is no adapter "
			   "\"%.64s\" any more", from);
		if (is_stored)
			log_warning("adapter", "%s: %s", id, error.text);
		errmsg_set(&error, "adapter \"%.64s\" names it in lnb_adapter",
			   id);
		if (users_wants_warnings(e->request))
			reply_warn(e->reply, "adapter", error.text);
	}
	json_decref(ids);
}

static void finish_adapter(struct edit *e)
{
	const struct adapter_change *change = e->arg;
	json_t *item, *message;
	const char *id;
	size_t i;

	json_array_foreach(change->renamed, i, item) {
		message = edit_message("set-adapter");
		(void)json_object_set(message, "adapter", item);
		edit_announce(e->api, message);
	}
	warn_affected(e, true);
	json_array_foreach(change->found, i, item) {
		id = edit_text(item, "id");
		config_put_stream(e->api->cfg.config, NULL, json_incref(item));
		apply_stream(e->api, id, item);
		apply_announce(e->api, item, false);
	}
	/* starts streams that would have read themselves through the adapter */
	apply_waiting(e->api);
}

/* A stream_refs_fn: a stream that reads one of these adapters restarts.  ids:
 * an object whose keys are ids of adapters. */
static enum stream_fate restart_fed(const json_t *stream, json_t **ret_new,
				    const void *ids)
{
	const char *id;
	const json_t *unused;

	(void)ret_new;
	json_object_foreach((json_t *)(uintptr_t)ids, id, unused)
		if (feeds(stream, id))
			return STREAM_RESTARTED;
	return STREAM_KEPT;
}

static void foresee_streams(struct edit *e, json_t *effects)
{
	const struct adapter_change *change = e->arg;
	json_t *stream;
	size_t i;

	json_array_foreach(change->found, i, stream)
		effects_add_stream(effects, e->api, edit_text(stream, "id"),
				   stream, NULL);
	warn_affected(e, false);
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
		.judge_removal = judge_removal,
		.apply = apply_adapters,
		.refers = rename_inputs,
		.finish = finish_adapter,
		.foresee = foresee_streams,
	};
	struct adapter_change change = { .found = json_array() };

	collection_set(&adapters, api, request, reply, &change);
	json_decref(change.found);
	json_decref(change.list);
	json_decref(change.stopped);
	json_decref(change.renamed);
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

/* Replies with the streams whose output pauses while these adapters restart. */
static void foresee_fed(const struct api *api, const json_t *ids,
			const char *command, struct reply *reply)
{
	json_t *effects = effects_new();

	json_decref(stream_refs_foresee(api, restart_fed, ids, effects));
	reply_effects(reply, command, effects);
}

/* Adds the warnings that set-adapter would give to the reply of
 * toggle-adapter. */
static void warn_enabled(const struct api *api, const json_t *request,
			 const json_t *adapter, struct reply *reply)
{
	struct check_entry entry = {
		.section = ADAPTERS,
		.path = "adapter",
		.entry = adapter,
		.document = config_document(api->cfg.config),
	};

	entry_warnings(request, &entry,
		       effects_only(request) ? NULL : edit_text(adapter, "id"),
		       reply);
}

static void adapters_toggle(struct api *api, const json_t *request,
			    struct reply *reply)
{
	const json_t *old = edit_named(api, ADAPTERS, "adapter", request,
				       reply);
	bool enable = !json_is_true(json_object_get(old, "enable"));
	json_t *adapter, *list, *message, *stopped;

	if (old == NULL)
		return;
	adapter = json_copy((json_t *)old);
	(void)json_object_set_new(adapter, "enable", json_boolean(enable));
	list = edit_list(api, ADAPTERS);
	(void)json_array_set(list, edit_find(list, "id",
					     edit_text(old, "id")), adapter);
	stopped = lnb_sharers_stopped(config_section(api->cfg.config,
						     ADAPTERS), list);
	if (effects_only(request)) {
		/* the streams that read the adapter keep their processes */
		reply_effects(reply, "toggle-adapter", effects_new());
		json_decref(list);
	} else {
		config_set_section(api->cfg.config, ADAPTERS, list);
		api_start_adapters(api);
		message = edit_message("set-adapter");
		(void)json_object_set(message, "adapter", adapter);
		edit_announce(api, message);
		reply_ok(reply, "toggle-adapter");
	}
	adapter_warn_stopped(api, request, stopped, reply);
	if (!enable)
		adapter_warn_ended(api, request, adapter,
				   edit_text(adapter, "id"), reply);
	else
		warn_enabled(api, request, adapter, reply);
	json_decref(adapter);
	json_decref(stopped);
}

static void adapters_restart(struct api *api, const json_t *request,
			     struct reply *reply)
{
	const json_t *adapter = edit_named(api, ADAPTERS, "adapter", request,
					   reply);
	json_t *ids;

	if (adapter == NULL)
		return;
	ids = json_object();
	(void)json_object_set_new(ids, edit_text(adapter, "id"), json_null());
	if (effects_only(request)) {
		foresee_fed(api, ids, "restart-adapter", reply);
	} else {
		adapter_procs_restart(reconciler_adapters(api->cfg.reconciler),
				      edit_text(adapter, "id"));
		json_decref(stream_refs_follow(api, restart_fed, ids));
		reply_ok(reply, "restart-adapter");
	}
	json_decref(ids);
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
