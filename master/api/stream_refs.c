/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/stream_refs.h"

#include "master/api/apply.h"
#include "master/api/edit.h"
#include "master/streams/reconciler.h"

#define STREAMS "make_stream"

static const char *id_of(const json_t *stream)
{
	return json_string_value(json_object_get(stream, "id"));
}

static void rewrite_one(json_t *stream, rewrite_fn *fn, const void *arg,
			json_t *list, struct rewrite *r)
{
	json_t *changed = NULL;

	switch (fn(stream, &changed, arg)) {
	case REWRITE_TOUCHED:
		(void)json_array_append(r->touched, stream);
		break;
	case REWRITE_CHANGED:
		(void)json_array_append(r->changed, changed);
		(void)json_array_append_new(list, changed);
		return;
	case REWRITE_REMOVED:
		(void)json_array_append(r->removed, stream);
		return;
	case REWRITE_NONE:
		break;
	}
	(void)json_array_append(list, stream);
}

void rewrite_streams(struct api *api, rewrite_fn *fn, const void *arg,
		     struct rewrite *ret)
{
	const json_t *streams = config_section(api->cfg.config, STREAMS);
	json_t *list = json_array();
	json_t *stream;
	size_t i;

	*ret = (struct rewrite){ json_array(), json_array(), json_array() };
	json_array_foreach((json_t *)streams, i, stream)
		rewrite_one(stream, fn, arg, list, ret);
	if (json_array_size(ret->changed) + json_array_size(ret->removed) > 0)
		config_set_section(api->cfg.config, STREAMS, list);
	else
		json_decref(list);
}

void rewrite_done(struct rewrite *r)
{
	json_decref(r->touched);
	json_decref(r->changed);
	json_decref(r->removed);
}

/* {id, remove: true}: nothing says whether another comes. */
static void announce_removal(struct api *api, const char *id)
{
	json_t *message = edit_message("set-stream");
	json_t *marker = edit_removal(id, false);

	(void)json_object_del(marker, "up");
	(void)json_object_set_new(message, "stream", marker);
	edit_say(api, message);
}

/* Two streams of one id: the first is the one that runs. */
static bool is_running_one(const struct api *api, const json_t *stream)
{
	const char *id = id_of(stream);

	return id != NULL && config_stream(api->cfg.config, id) == stream;
}

void rewrite_apply(struct api *api, const struct rewrite *r)
{
	json_t *stream;
	size_t i;

	json_array_foreach(r->removed, i, stream) {
		if (id_of(stream) == NULL)
			continue;
		apply_removal(api, id_of(stream));
		announce_removal(api, id_of(stream));
	}
	json_array_foreach(r->touched, i, stream)
		if (is_running_one(api, stream))
			fleet_restart_stream(api->cfg.fleet, id_of(stream));
	json_array_foreach(r->changed, i, stream) {
		if (is_running_one(api, stream))
			apply_kept(api, id_of(stream), stream);
		apply_announce(api, stream, false);
	}
	if (json_array_size(r->removed) + json_array_size(r->changed) > 0)
		apply_waiting(api);
}

json_t *rewrite_list(const json_t *stream, const char *key, json_t *list)
{
	json_t *copy = json_copy((json_t *)stream);

	(void)json_object_set_new(copy, key, list);
	return copy;
}
