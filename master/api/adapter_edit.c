/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/adapter_edit.h"

#include "common/base/alloc.h"
#include "master/api/apply.h"
#include "master/api/edit.h"
#include "master/api/input_edit.h"
#include "master/api/stream_refs.h"
#include "master/api/stream_edit.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRAM_MAX = 65535 };

static bool is_fed(const json_t *input, const char *id)
{
	const char *address = json_string_value(input);

	return address != NULL && input_edit_is_adapter(address, id);
}

bool adapter_feeds(const json_t *stream, const char *id)
{
	const json_t *inputs = json_object_get(stream, "input");
	const json_t *input;
	size_t i;

	json_array_foreach((json_t *)inputs, i, input)
		if (is_fed(input, id))
			return true;
	return false;
}

void adapter_announce(struct api *api, const json_t *adapter, bool with_gid)
{
	json_t *message = edit_message("set-adapter");

	/* only its count of references changes */
	(void)json_object_set(message, "adapter", (json_t *)adapter);
	if (with_gid)
		edit_add_gid(api, message);
	edit_say(api, message);
}

struct renaming {
	const char *from;
	const char *to; /* NULL: is gone */
};

static enum rewrite_fate follow(const json_t *stream, json_t **ret_new,
				const void *arg)
{
	const json_t *inputs = json_object_get(stream, "input");
	const struct renaming *r = arg;
	json_t *list, *input;
	size_t i;

	if (!adapter_feeds(stream, r->from))
		return REWRITE_NONE;
	list = json_array();
	json_array_foreach((json_t *)inputs, i, input) {
		char *text;

		if (!is_fed(input, r->from)) {
			(void)json_array_append(list, input);
		} else if (r->to != NULL) {
			text = input_edit_adapter(json_string_value(input),
						  r->to);
			(void)json_array_append_new(list, json_string(text));
			free(text);
		}
	}
	if (json_array_size(list) == 0) {
		json_decref(list);
		return REWRITE_REMOVED;
	}
	*ret_new = rewrite_list(stream, "input", list);
	return REWRITE_CHANGED;
}

void adapter_rename_inputs(struct api *api, const char *from, const char *to)
{
	const struct renaming r = { from, to };
	struct rewrite streams;

	rewrite_streams(api, follow, &r, &streams);
	rewrite_apply(api, &streams);
	rewrite_done(&streams);
}

/* A program by its number, as a stream. */
static bool complete(json_t *stream, const char *adapter)
{
	const json_t *pnr = json_object_get(stream, "pnr");
	json_int_t number = json_integer_value(pnr);
	json_t *inputs;
	char *text;

	if (!json_is_integer(pnr) || number < 1 || number > PROGRAM_MAX)
		return false;
	text = xasprintf("dvb://%s#pnr=%d", adapter, (int)number);
	inputs = json_array();
	(void)json_array_append_new(inputs, json_string(text));
	free(text);
	(void)json_object_set_new(stream, "input", inputs);
	(void)json_object_del(stream, "pnr");
	if (json_object_get(stream, "type") == NULL)
		(void)json_object_set_new(stream, "type", json_string("spts"));
	if (json_object_get(stream, "enable") == NULL)
		(void)json_object_set_new(stream, "enable", json_true());
	return true;
}

/* False after a reply. */
static bool judge(struct api *api, const json_t *stream, const json_t *others,
		  size_t place, struct reply *reply)
{
	const char *id = json_string_value(json_object_get(stream, "id"));
	struct errmsg why;

	if (apply_judge(api, stream, NULL, &why, NULL) < 0)
		reply_error(reply, 400, "adapter.scan[%zu]: %s", place,
			    why.text);
	else if (config_stream(api->cfg.config, id) != NULL ||
		 edit_find(others, id) < json_array_size(others))
		reply_error(reply, 400, "adapter.scan[%zu]: id: \"%.64s\" is "
			    "the id of another stream", place, id);
	return reply->status == 0;
}

static json_t *make_stream(struct api *api, const json_t *item,
			   const char *adapter, json_int_t *gid)
{
	json_t *stream = edit_entry_copy(item);
	char text[GID_TEXT_MAX];

	if (json_object_get(stream, "input") == NULL &&
	    !complete(stream, adapter)) {
		json_decref(stream);
		return NULL;
	}
	if (json_object_get(stream, "id") == NULL) {
		edit_next_id(api, gid, text);
		(void)json_object_set_new(stream, "id", json_string(text));
	}
	return stream;
}

json_t *adapter_scan_streams(struct api *api, const json_t *scan,
			     const char *adapter, json_int_t *gid,
			     struct reply *reply)
{
	json_t *streams = json_array();
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)scan, i, item) {
		json_t *stream = NULL;

		if (json_is_object(item))
			stream = make_stream(api, item, adapter, gid);
		if (stream == NULL)
			reply_error(reply, 400, "adapter.scan[%zu]: is neither "
				    "a stream nor a program", i);
		else if (judge(api, stream, streams, i, reply))
			stream_edit_versions(stream);
		if (stream != NULL)
			(void)json_array_append_new(streams, stream);
		if (reply->status != 0) {
			json_decref(streams);
			return NULL;
		}
	}
	return streams;
}

void adapter_add_streams(struct api *api, const json_t *streams)
{
	json_t *stream;
	size_t i;

	json_array_foreach((json_t *)streams, i, stream) {
		const char *id = json_string_value(
			json_object_get(stream, "id"));

		config_put_stream(api->cfg.config, NULL, json_incref(stream));
		apply_stream(api, id, stream);
		apply_announce(api, stream, false);
	}
}
