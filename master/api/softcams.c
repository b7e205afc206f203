/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands set-softcam and set-cas. */
#include "common/base/log.h"
#include "master/api/collection.h"
#include "master/api/effects.h"
#include "master/api/input_edit.h"
#include "master/config/config.h"
#include "master/config/config_fields.h"
#include "master/softcams/softcam_list.h"
#include "master/streams/reconciler.h"

#include <stdlib.h>
#include <string.h>

/* A stream_refs_fn: in inputs that name the softcam in the option cam, replaces
 * its id by the new one, or removes it.  If the id has not changed, the stream
 * restarts. */
static enum stream_fate rename_cams(const json_t *stream, json_t **ret_new,
				    const void *arg)
{
	const json_t *inputs = json_object_get(stream, "input");
	const struct edit *e = arg;
	const char *from = edit_text(e->old, "id");
	const char *to = edit_text(e->entry, "id");
	json_t *list = json_array(), *input;
	bool refers = false;
	size_t i;

	json_array_foreach(inputs, i, input) {
		const char *address = json_string_value(input);
		char *text;

		if (address == NULL || !input_edit_has_cam(address, from)) {
			(void)json_array_append(list, input);
			continue;
		}
		refers = true;
		text = input_edit_cam(address, from, to);
		(void)json_array_append_new(list, json_string(text));
		free(text);
	}
	if (refers && (to == NULL || strcmp(from, to) != 0)) {
		*ret_new = stream_refs_inputs(stream, list);
		return STREAM_CHANGED;
	}
	json_decref(list);
	return refers ? STREAM_RESTARTED : STREAM_KEPT;
}

/* Starts, stops or reconnects softcams whose entries have changed. */
static void apply_softcams(struct edit *e)
{
	api_start_softcams(e->api);
}

static void softcams_set_run(struct api *api, const json_t *request,
			 struct reply *reply)
{
	static const struct collection softcams = {
		.command = "set-softcam",
		.section = "softcam",
		.member = "softcam",
		.key = COLLECTION_ENTRIES,
		.fields = &softcam_fields,
		.apply = apply_softcams,
		.refers = rename_cams,
	};

	collection_set(&softcams, api, request, reply, NULL);
}

static bool judge_cas(struct edit *e)
{
	static const char *const keys[] = { "ecmg_channel_id", "ecmg_host",
					    "ecmg_port" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (effects_only(e->request) ||
		    json_object_get(e->entry, keys[i]) != NULL)
			continue;
		log_error("cas", "[CAS %s] configuration error",
			  edit_text(e->entry, "id"));
		break;
	}
	return true;
}

/* Passes the CAS entries to the reconciler.  A changed entry applies when the
 * worker of its system starts again (cas_procs.h). */
static void apply_cas(struct edit *e)
{
	reconciler_set_cas(e->api->cfg.reconciler,
			   config_section(e->api->cfg.config, "cas"));
}

static void cas_set(struct api *api, const json_t *request, struct reply *reply)
{
	static const struct collection cas = {
		.command = "set-cas",
		.section = "cas",
		.member = "cas",
		.key = COLLECTION_ENTRIES,
		.fields = &cas_fields,
		.judge = judge_cas,
		.apply = apply_cas,
	};

	collection_set(&cas, api, request, reply, NULL);
}

const struct api_command softcams_commands[] = {
	{ "set-cas", cas_set, OBSERVER_HIDDEN,
	  COMMAND_NAMES_OBJECT | COMMAND_DRY },
	{ "set-softcam", softcams_set_run, OBSERVER_HIDDEN,
	  COMMAND_NAMES_OBJECT | COMMAND_DRY },
	{ 0 },
};
