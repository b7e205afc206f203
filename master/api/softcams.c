/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command set-softcam. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "master/api/edit.h"
#include "master/api/list_edit.h"
#include "master/api/input_edit.h"
#include "master/api/stream_refs.h"

#include <stdlib.h>
#include <string.h>

/* False after a reply. */
static bool judge_form(const json_t *softcam, struct reply *reply)
{
	static const char *const texts[] = { "name", "type", "host", "user",
					     "pass" };
	const json_t *port = json_object_get(softcam, "port");
	json_int_t number = json_integer_value(port);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (json_is_string(json_object_get(softcam, texts[i])))
			continue;
		reply_error(reply, 400, "softcam.%s: is not a string",
			    texts[i]);
		return false;
	}
	if (json_is_integer(port) && number >= 1 && number <= 65535)
		return true;
	reply_error(reply, 400, "softcam.port: is not a port");
	return false;
}

static void warn(const json_t *softcam)
{
	const char *id = json_string_value(json_object_get(softcam, "id"));
	const char *type = json_string_value(json_object_get(softcam, "type"));
	const json_t *key = json_object_get(softcam, "key");
	const char *text = json_string_value(key);

	if (strcmp(type, "newcamd") != 0)
		log_warning("softcam", "%s: type \"%.32s\" is not newcamd", id,
			    type);
	if (key != NULL &&
	    (text == NULL || strlen(text) != 28 ||
	     strspn(text, "0123456789abcdefABCDEF") != 28))
		log_warning("softcam", "%s: key: is not 28 hex characters: "
			    "the default is used", id);
}

/* A softcam is gone (to: NULL), has another id, or other content. */
struct change {
	const char *from;
	const char *to;
};

/* The inputs with the option as it is to be. */
static json_t *rewrite_inputs(const json_t *inputs, const struct change *c)
{
	json_t *list = json_array();
	json_t *input;
	size_t i;

	json_array_foreach((json_t *)inputs, i, input) {
		const char *address = json_string_value(input);
		char *text;

		if (address == NULL ||
		    !input_edit_has_cam(address, c->from)) {
			(void)json_array_append(list, input);
			continue;
		}
		text = input_edit_cam(address, c->from, c->to);
		(void)json_array_append_new(list, json_string(text));
		free(text);
	}
	return list;
}

static enum rewrite_fate follow(const json_t *stream, json_t **ret_new,
				const void *arg)
{
	const json_t *inputs = json_object_get(stream, "input");
	const struct change *c = arg;
	const json_t *input;
	bool concerned = false;
	size_t i;

	json_array_foreach((json_t *)inputs, i, input)
		concerned |= json_is_string(input) &&
			     input_edit_has_cam(json_string_value(input),
						c->from);
	if (!concerned)
		return REWRITE_NONE;
	if (c->to != NULL && strcmp(c->from, c->to) == 0)
		return REWRITE_TOUCHED;
	*ret_new = rewrite_list(stream, "input", rewrite_inputs(inputs, c));
	return REWRITE_CHANGED;
}

void softcams_set(struct api *api, const json_t *request, struct reply *reply)
{
	static const char *const required[] = { "id", "name", "type", "host",
						"port", "user", "pass" };
	struct entry_edit e = { .name = "softcam" };
	struct rewrite streams;
	struct change change;

	if (!entry_edit_read(api, request, required, ARRAY_LEN(required), &e,
			     reply) ||
	    (!e.remove && !judge_form(e.wanted, reply)))
		return;
	if (!e.remove)
		warn(e.wanted);
	change.from = e.id;
	change.to = e.remove ? NULL : json_string_value(
					      json_object_get(e.wanted, "id"));
	if (e.known)
		rewrite_streams(api, follow, &change, &streams);
	entry_edit_remove(api, &e);
	entry_edit_append(api, &e);
	if (e.known) {
		rewrite_apply(api, &streams);
		rewrite_done(&streams);
	}
	reply_ok(reply, "set-softcam");
}
