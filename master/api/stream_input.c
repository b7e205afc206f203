/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands set-stream-input and set-stream-image. */
#include "master/api/edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RUNNING_INPUT = 1 }; /* of several inputs the first is run */

/* Only where inputs are not chosen by what they carry. */
static bool may_choose(const json_t *stream)
{
	const char *type = json_string_value(
		json_object_get(stream, "backup_type"));

	return type != NULL &&
	       (strcmp(type, "passive") == 0 || strcmp(type, "disable") == 0);
}

/* A number, or digits in a string; 0 for anything else. */
static size_t read_input(const json_t *input)
{
	const char *text = json_string_value(input);
	char *end;
	unsigned long n;

	if (json_is_integer(input) && json_integer_value(input) > 0)
		return (size_t)json_integer_value(input);
	if (text == NULL || text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	n = strtoul(text, &end, 10);
	return *end == '\0' && errno == 0 ? n : 0;
}

void streams_set_input(struct api *api, const json_t *request,
		       struct reply *reply)
{
	const json_t *stream = api_request_stream(api, request, reply);
	const json_t *input = edit_get(request, "input");
	size_t n = json_array_size(json_object_get(stream, "input"));
	size_t wanted;

	if (stream == NULL)
		return;
	wanted = input != NULL ? read_input(input)
			       : n > 0 ? RUNNING_INPUT % n + 1 : 1;
	if (!may_choose(stream))
		reply_error(reply, 400, "the stream's backup_type is neither "
			    "passive nor disable");
	else if (wanted < 1 || wanted > n)
		reply_error(reply, 400, "input: is not one of 1 to %zu", n);
	else if (wanted != RUNNING_INPUT)
		reply_error(reply, 501, "input: this version runs the first "
			    "input of a stream only");
	else
		reply_ok(reply, "set-stream-input");
}

void streams_set_image(struct api *api, const json_t *request,
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
	message = edit_message("stream_image");
	(void)json_object_set(message, "channel_id",
			      json_object_get(request, "id"));
	(void)json_object_set(message, "src", (json_t *)url);
	edit_say(api, message);
	reply_ok(reply, "set-stream-image");
}
