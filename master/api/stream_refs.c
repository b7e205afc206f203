/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/stream_refs.h"

#include "master/api/apply.h"
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/streams/reconciler.h"

/* True: the stream, which may be disabled, is the first one with its id.  Later
 * streams with the same id never run. */
static bool is_first_one(const struct api *api, const json_t *stream)
{
	const char *id = edit_text(stream, "id");

	return id != NULL && config_stream(api->cfg.config, id) == stream;
}

static void follow(struct api *api, const json_t *removed,
		   const json_t *restarted, const json_t *changed)
{
	const json_t *stream;
	const char *id;
	size_t i;

	json_array_foreach(removed, i, stream) {
		json_t *marker;

		id = edit_text(stream, "id");
		if (id == NULL)
			continue;
		apply_removal(api, id);
		apply_warn_readers(api, id, NULL, NULL);
		/* `up' would say whether an entry that replaces it follows */
		marker = edit_removal(id, false);
		(void)json_object_del(marker, "up");
		apply_announce(api, marker, false);
		json_decref(marker);
	}
	json_array_foreach(restarted, i, stream)
		if (is_first_one(api, stream))
			reconciler_restart_stream(api->cfg.reconciler,
						  edit_text(stream, "id"));
	json_array_foreach(changed, i, stream) {
		if (is_first_one(api, stream))
			apply_kept(api, edit_text(stream, "id"), stream);
		apply_announce(api, stream, false);
	}
	if (json_array_size(removed) + json_array_size(changed) > 0)
		apply_waiting(api);
}

json_t *stream_refs_follow(struct api *api, stream_refs_fn *fn,
			   const void *arg)
{
	const json_t *streams = config_section(api->cfg.config, STREAMS);
	json_t *lists[] = {
		[STREAM_KEPT] = json_array(),
		[STREAM_RESTARTED] = json_array(),
		[STREAM_CHANGED] = json_array(),
		[STREAM_REMOVED] = json_array(),
	};
	json_t *stream;
	size_t i;

	json_array_foreach((json_t *)streams, i, stream) {
		json_t *changed = NULL;
		enum stream_fate fate = fn(stream, &changed, arg);

		if (fate == STREAM_FOLLOWS)
			fate = STREAM_CHANGED;
		if (fate == STREAM_CHANGED)
			stream = changed;
		if (fate != STREAM_KEPT)
			(void)json_array_append(lists[fate], stream);
		if (fate != STREAM_REMOVED)
			(void)json_array_append(lists[STREAM_KEPT], stream);
		json_decref(changed);
	}
	if (json_array_size(lists[STREAM_CHANGED]) +
	    json_array_size(lists[STREAM_REMOVED]) > 0)
		config_set_section(api->cfg.config, STREAMS,
				   json_incref(lists[STREAM_KEPT]));
	follow(api, lists[STREAM_REMOVED], lists[STREAM_RESTARTED],
	       lists[STREAM_CHANGED]);
	json_decref(lists[STREAM_KEPT]);
	json_decref(lists[STREAM_RESTARTED]);
	json_decref(lists[STREAM_REMOVED]);
	return lists[STREAM_CHANGED];
}

json_t *stream_refs_foresee(const struct api *api, stream_refs_fn *fn,
			    const void *arg, json_t *effects)
{
	json_t *changes = json_array(), *stream;
	size_t i;

	json_array_foreach(config_section(api->cfg.config, STREAMS), i,
			   stream) {
		const char *id = edit_text(stream, "id");
		json_t *changed = NULL;
		enum stream_fate fate = fn(stream, &changed, arg);

		if (fate == STREAM_CHANGED || fate == STREAM_FOLLOWS)
			(void)json_array_append(changes, changed);
		if (fate == STREAM_RESTARTED && is_first_one(api, stream) &&
		    json_is_true(json_object_get(stream, "enable")))
			effects_add(effects, api, id, STREAM_RESTARTS);
		else if ((fate == STREAM_CHANGED || fate == STREAM_REMOVED) &&
			 is_first_one(api, stream))
			effects_add_stream(effects, api, id, changed, NULL);
		json_decref(changed);
	}
	return changes;
}

json_t *stream_refs_inputs(const json_t *stream, json_t *take_inputs)
{
	json_t *copy = json_copy((json_t *)stream);

	(void)json_object_set_new(copy, "input", take_inputs);
	return copy;
}
