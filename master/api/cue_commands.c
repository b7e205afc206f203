/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command cue. */
#include "common/base/alloc.h"
#include "common/ws/hub.h"
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler.h"
#include "proto/si/cue_command.h"

#include <errno.h>
#include <stdlib.h>

#define PTS_MASK ((INT64_C(1) << 33) - 1)

/* greatest length in bytes of a record that is sent as an event */
enum { EVENT_TEXT_MAX = 8192 };

/* A command cue that waits for the answer of the worker. */
struct cue {
	struct call *call; /* NULL when the client has left */
};

static void on_cued(const char *error, void *arg)
{
	struct cue *c = arg;
	struct call *call = c->call;

	free(c);
	if (call == NULL)
		return;
	if (error[0] == '\0')
		reply_ok(call_reply(call), "cue");
	else
		reply_error(call_reply(call), 503, "cue: %s", error);
	call_finish(call);
}

static void streams_cue(struct api *api, const json_t *request,
			struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);
	const json_t *cue = edit_get(request, "cue");
	struct cue_command command;
	struct errmsg error;
	struct cue *c;
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
	r = cue_command_read(cue, &command, &error);
	if (r < 0) {
		reply_error(reply, 400, "cue%s%s", r == -EINVAL ? "." : ": ",
			    error.text);
		return;
	}
	if (effects_only(request)) {
		json_decref(command.record);
		reply_effects(reply, "cue", effects_new());
		return;
	}
	c = xcalloc(1, sizeof *c);
	r = reconciler_cue(api->cfg.reconciler, edit_text(stream, "id"),
			   &command, on_cued, c);
	json_decref(command.record);
	if (r == 0) {
		reply_later_into(reply, &c->call);
		return;
	}
	free(c);
	reply_unsent(reply, r);
}

/* Sends cue_event with a splice command in the output of a stream.  The record
 * comes from a worker, so its size is limited. */
static void report(const char *id, const json_t *record, void *arg)
{
	struct api *api = arg;
	const json_t *command = json_object_get(record, "command");
	const json_t *pid = json_object_get(record, "pid");
	const json_t *pts = json_object_get(record, "pts_time");
	json_t *message;

	if (!hub_wants_extra(api->cfg.hub, HUB_CUE) ||
	    !json_is_string(command) || !json_is_integer(pid) ||
	    json_dumpb(record, NULL, 0, JSON_COMPACT) > EVENT_TEXT_MAX)
		return;
	message = json_pack("{s:s, s:s, s:O, s:O, s:O}", "scope", "cue_event",
			    "channel_id", id, "pid", pid, "command", command,
			    "cue", record);
	if (json_is_integer(pts))
		(void)json_object_set_new(
			message, "pts", json_integer(
				((json_integer_value(pts) & PTS_MASK) +
				 (json_integer_value(json_object_get(
					  record, "pts_adjustment")) &
				  PTS_MASK)) & PTS_MASK));
	hub_send_extra(api->cfg.hub, HUB_CUE, message);
	json_decref(message);
}

void api_watch_cues(struct api *api)
{
	reconciler_watch_splices(api->cfg.reconciler, report, api);
}

const struct api_command cue_commands[] = {
	{ "cue", streams_cue, OBSERVER_FORBIDDEN, COMMAND_DRY },
	{ 0 },
};
