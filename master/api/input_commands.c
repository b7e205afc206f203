/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands set-stream-input and set-stream-image. */
#include "common/base/alloc.h"
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler.h"
#include "proto/spec/io_spec.h"

#include <stdlib.h>
#include <string.h>

/* Judges whether the input at this position has a valid address.  False: the
 * reply already has the error. */
static bool judge_input(const json_t *inputs, size_t position,
			struct reply *reply)
{
	const char *text = json_string_value(
		json_array_get(inputs, position - 1));
	struct input_spec spec;
	struct errmsg error;

	if (text != NULL &&
	    input_spec_parse(text, &spec, NULL, NULL, &error) == 0)
		return true;
	reply_error(reply, 400, "input: input %zu cannot be used: %s",
		    position, text != NULL ? error.text : "it is not an "
							  "address");
	return false;
}

/* A request that waits for the answer of the worker. */
struct choice {
	struct call *call; /* NULL when the client has left */
	bool status;       /* the reply gets the member `input' */
};

/* Replies that the stream has switched.  position: the chosen input; 0: the
 * reply does not name the input.  warning: "": none. */
static void reply_choice(struct reply *reply, unsigned position,
			 const char *warning)
{
	reply_ok(reply, "set-stream-input");
	if (position > 0)
		(void)json_object_set_new(reply->body, "input",
					  json_integer(position));
	if (warning[0] != '\0')
		(void)json_object_set_new(reply->body, "warnings",
					  json_pack("[s]", warning));
}

static void on_choice(unsigned position, const char *error, void *arg)
{
	struct choice *c = arg;
	struct call *call = c->call;

	if (call != NULL && position > 0)
		reply_choice(call_reply(call), c->status ? position : 0, error);
	else if (call != NULL)
		reply_error(call_reply(call), 503, "input: %s", error);
	free(c);
	if (call != NULL)
		call_finish(call);
}

static void streams_set_input(struct api *api, const json_t *request,
			      struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);
	const json_t *input = edit_get(request, "input");
	const json_t *inputs = json_object_get(stream, "input");
	const char *type = edit_text(stream, "backup_type");
	size_t n = json_array_size(inputs);
	/* 0: the stream switches to its next input */
	json_int_t wanted = input != NULL ? edit_number(input) : 0;
	bool status = json_is_true(json_object_get(request, "status"));
	struct choice *c;
	int r;

	if (stream == NULL)
		return;
	if (mpts_is_mux(stream)) {
		reply_error(reply, 400, "all inputs of an mpts are sent at the "
			    "same time");
		return;
	}
	if (type == NULL ||
	    (strcmp(type, "passive") != 0 && strcmp(type, "disable") != 0)) {
		reply_error(reply, 400, "an input cannot be chosen: "
			    "backup_type is %s%.32s%s: set it to \"passive\" "
			    "or \"disable\"", type != NULL ? "\"" : "",
			    type != NULL ? type : "absent",
			    type != NULL ? "\"" : "");
		return;
	}
	if (n == 0 || wanted < 0 || (size_t)wanted > n ||
	    (wanted == 0 && input != NULL)) {
		reply_error(reply, 400, "input: is not one of 1 to %zu", n);
		return;
	}
	if (wanted > 0 && !judge_input(inputs, (size_t)wanted, reply))
		return;
	if (effects_only(request)) {
		reply_effects(reply, "set-stream-input", effects_new());
		return;
	}
	c = xcalloc(1, sizeof *c);
	c->status = status;
	r = reconciler_choose_input(api->cfg.reconciler,
				    edit_text(stream, "id"), (unsigned)wanted,
				    on_choice, c);
	if (r == 0) {
		reply_later_into(reply, &c->call);
		return;
	}
	free(c);
	if (r > 0)
		reply_choice(reply, status ? (unsigned)r : 0, "");
	else
		reply_unsent(reply, r);
}

static void streams_set_image(struct api *api, const json_t *request,
			      struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);
	const json_t *url = edit_get(request, "url");
	json_t *message;

	if (stream == NULL)
		return;
	if (!json_is_string(url)) {
		reply_error(reply, 400, "url: is %s",
			    url == NULL ? "missing" : "not a string");
		return;
	}
	if (json_string_length(url) > EDIT_OBJECT_MAX) {
		reply_error(reply, 400, "url: is longer than %d bytes",
			    EDIT_OBJECT_MAX);
		return;
	}
	if (effects_only(request)) {
		reply_effects(reply, "set-stream-image", effects_new());
		return;
	}
	message = edit_message("stream_image");
	(void)json_object_set(message, "channel_id",
			      json_object_get(request, "id"));
	(void)json_object_set(message, "src", (json_t *)url);
	edit_announce(api, message);
	reply_ok(reply, "set-stream-image");
}

const struct api_command input_commands[] = {
	{ "set-stream-image", streams_set_image, OBSERVER_FORBIDDEN,
	  COMMAND_DRY },
	{ "set-stream-input", streams_set_input, OBSERVER_FORBIDDEN,
	  COMMAND_DRY },
	{ 0 },
};
