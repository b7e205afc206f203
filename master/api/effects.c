/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/effects.h"

#include "common/base/errmsg.h"
#include "master/api/changes.h"
#include "master/api/edit.h"
#include "master/config/check.h"
#include "master/config/stream_conf.h"
#include "master/streams/reconciler.h"

bool effects_only(const json_t *request)
{
	return json_is_true(json_object_get(request, "dry_run"));
}

json_t *effects_new(void)
{
	return json_pack("{s:[], s:i, s:b}", "streams", "viewers", 0,
			 "restart", 0);
}

void effects_add_restart(json_t *effects)
{
	(void)json_object_set_new(effects, "restart", json_true());
}

void effects_add(json_t *effects, const struct api *api, const char *id,
		 enum stream_change change)
{
	static const char *const words[] = {
		[STREAM_STARTS] = "start",
		[STREAM_RESTARTS] = "restart",
		[STREAM_STOPS] = "stop",
	};
	json_t *sum = json_object_get(effects, "viewers");
	struct stream_proc_info info = { 0 };

	if (change == STREAM_STAYS)
		return;
	if (change != STREAM_STARTS)
		(void)reconciler_get_stream(api->cfg.reconciler, id, &info);
	(void)json_array_append_new(
		json_object_get(effects, "streams"),
		json_pack("{s:s, s:s, s:I}", "id", id, "change",
			  words[change], "viewers", (json_int_t)info.viewers));
	(void)json_integer_set(sum, json_integer_value(sum) + info.viewers);
}

void effects_add_stream(json_t *effects, const struct api *api, const char *id,
			const json_t *stream, const json_t *settings)
{
	struct stream_conf *conf = NULL;
	struct errmsg idle;

	if (stream != NULL && !check_stream_idle(stream, &idle))
		conf = stream_conf_new(stream);
	effects_add(effects, api, id,
		    reconciler_foresee(api->cfg.reconciler, id, conf,
				       settings));
	stream_conf_free(&conf);
}

/* Adds the effects of the next start on these streams.  settings: those of the
 * next start; NULL: it has none. */
static void add_streams(json_t *effects, const struct api *api,
			const json_t *streams, const json_t *settings)
{
	json_t *none = settings == NULL ? json_object() : NULL;
	const json_t *stream;
	size_t i;

	json_array_foreach(streams, i, stream) {
		const char *id = edit_text(stream, "id");

		if (id != NULL)
			effects_add_stream(effects, api, id, stream,
					   settings != NULL ? settings : none);
	}
	json_decref(none);
}

void effects_add_settings(json_t *effects, const struct api *api,
			  const json_t *settings)
{
	add_streams(effects, api, config_section(api->cfg.config, STREAMS),
		    settings);
}

json_t *effects_of_restart(const struct api *api, const json_t *document,
			   json_t **ret_changes)
{
	json_t *effects = effects_new();
	json_t *changes = changes_list(config_document(api->cfg.config),
				       document);
	const json_t *id;
	size_t i;

	effects_add_restart(effects);
	add_streams(effects, api, json_object_get(document, STREAMS),
		    json_object_get(document, "settings"));
	json_array_foreach(json_object_get(changes, "removed"), i, id)
		effects_add_stream(effects, api, json_string_value(id), NULL,
				   NULL);
	*ret_changes = changes;
	return effects;
}

void reply_effects(struct reply *reply, const char *command,
		   json_t *take_effects)
{
	reply_ok(reply, command);
	(void)json_object_set_new(reply->body, "dry_run", json_true());
	(void)json_object_set_new(reply->body, "effects", take_effects);
}
