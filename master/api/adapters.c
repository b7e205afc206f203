/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands and paths of adapters.  No adapter is run by this version: they are
 * kept, announced, and followed by the streams that name them. */
#include "master/api/adapter_edit.h"
#include "master/api/edit.h"
#include "master/api/stream_refs.h"
#include "master/streams/reconciler.h"

#include <time.h>

static json_t *share(const json_t *value)
{
	/* only its count of references changes */
	return json_incref((json_t *)value);
}

static const char *id_of(const json_t *object)
{
	return json_string_value(json_object_get(object, "id"));
}

/* The adapter that the request names, or NULL after a reply. */
static const json_t *named(const struct api *api, const json_t *request,
			   struct reply *reply)
{
	const json_t *id = json_object_get(request, "id");
	const json_t *adapter;

	if (!json_is_string(id)) {
		reply_error(reply, 400, "id: is %s",
			    id == NULL ? "missing" : "not a string");
		return NULL;
	}
	adapter = edit_entry(api, ADAPTERS, json_string_value(id));
	if (adapter == NULL)
		reply_error(reply, 404, "id: there is no adapter \"%.64s\"",
			    json_string_value(id));
	return adapter;
}

void adapters_get(struct api *api, const json_t *request, struct reply *reply)
{
	const json_t *adapter = named(api, request, reply);
	json_t *body;

	if (adapter == NULL)
		return;
	body = json_object();
	(void)json_object_set_new(body, "get-adapter", json_string("ok"));
	(void)json_object_set_new(body, "adapter", share(adapter));
	reply_json(reply, body);
}

void adapters_toggle(struct api *api, const json_t *request,
		     struct reply *reply)
{
	const json_t *old = named(api, request, reply);
	bool enable = !json_is_true(json_object_get(old, "enable"));
	json_t *adapter, *list;

	if (old == NULL)
		return;
	adapter = json_copy((json_t *)old);
	(void)json_object_set_new(adapter, "enable", json_boolean(enable));
	list = edit_list(api, ADAPTERS);
	(void)json_array_set_new(list, edit_find(list, id_of(old)), adapter);
	config_set_section(api->cfg.config, ADAPTERS, list);
	adapter_announce(api, adapter, false);
	reply_ok(reply, "toggle-adapter");
}

static enum rewrite_fate touch(const json_t *stream, json_t **ret_new,
			       const void *id)
{
	(void)ret_new;
	return adapter_feeds(stream, id) ? REWRITE_TOUCHED : REWRITE_NONE;
}

void adapters_restart(struct api *api, const json_t *request,
		      struct reply *reply)
{
	const json_t *adapter = named(api, request, reply);
	struct rewrite streams;

	if (adapter == NULL)
		return;
	rewrite_streams(api, touch, id_of(adapter), &streams);
	rewrite_apply(api, &streams);
	rewrite_done(&streams);
	reply_ok(reply, "restart-adapter");
}

static const json_t *find(const struct api *api, const char *id,
			  struct reply *reply)
{
	const json_t *adapter = edit_entry(api, ADAPTERS, id);

	if (adapter == NULL)
		reply_error(reply, 404, "there is no adapter \"%.64s\"", id);
	return adapter;
}

void adapters_info(struct api *api, const char *id, enum status_span span,
		   struct reply *reply)
{
	const json_t *adapter = find(api, id, reply);

	(void)span;
	if (adapter != NULL)
		reply_json(reply, share(adapter));
}

/* What no tuner says. */
static void add_zeros(json_t *status)
{
	static const char *const keys[] = { "signal", "signal_db", "snr",
					    "snr_db", "ber", "unc",
					    "bitrate" };

	(void)json_object_set_new(status, "lock", json_false());
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		(void)json_object_set_new(status, keys[i], json_integer(0));
}

void adapters_status(struct api *api, const char *id, enum status_span span,
		     struct reply *reply)
{
	const json_t *adapter = find(api, id, reply);
	const char *instance = api_instance(api);
	json_t *status, *worker, *name;

	(void)span;
	if (adapter == NULL)
		return;
	status = json_object();
	(void)json_object_set_new(status, "timestamp",
				  json_integer((json_int_t)time(NULL)));
	if (instance != NULL)
		(void)json_object_set_new(status, "instance",
					  json_string(instance));
	name = json_object_get(adapter, "name");
	if (name != NULL)
		(void)json_object_set(status, "name", name);
	add_zeros(status);
	worker = json_object();
	(void)json_object_set_new(worker, "state", json_string("stopped"));
	if (json_is_true(json_object_get(adapter, "enable")))
		(void)json_object_set_new(
			worker, "alarm",
			json_string("adapters are not run by this version"));
	(void)json_object_set_new(status, "worker", worker);
	reply_json(reply, status);
}
