/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command cue. */
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler.h"
#include "proto/si/cue_command.h"

#include <string.h>

static void streams_cue(struct api *api, const json_t *request,
			struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);
	const json_t *cue = edit_get(request, "cue");
	struct cue_command command;
	struct errmsg error;
	int r;

	if (stream == NULL)
		return;
	if (mpts_is_mux(stream) || json_object_get(stream, "cue_pid") == NULL) {
		reply_error(reply, 400, mpts_is_mux(stream)
			    ? "an mpts of several inputs sends the cues of "
			      "its inputs: use a stream that it reads"
			    : "the stream has no cue_pid");
		return;
	}
	if (cue == NULL) {
		reply_error(reply, 400, "cue: is missing");
		return;
	}
	if (cue_command_read(cue, &command, &error) < 0) {
		reply_error(reply, 400, "cue%s%s",
			    json_is_object(cue) ? "." : ": ", error.text);
		return;
	}
	if (effects_only(request)) {
		json_decref(command.record);
		reply_effects(reply, "cue", effects_new());
		return;
	}
	r = reconciler_cue(api->cfg.reconciler, edit_text(stream, "id"),
			   &command);
	json_decref(command.record);
	if (r < 0)
		reply_error(reply, 503, "the stream is not run: %s",
			    strerror(-r));
	else
		reply_ok(reply, "cue");
}

const struct api_command cue_commands[] = {
	{ "cue", streams_cue, OBSERVER_FORBIDDEN, COMMAND_DRY },
	{ 0 },
};
