/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stream object. */
#include "master/config/config_fields.h"
#include "master/config/judge.h"
#include "proto/ipc/contract.h"
#include "proto/spec/io_spec.h"
#include "proto/ipc/msg.h"
#include "proto/spec/stream_spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
	ID_MAX = 64,
	NAME_MAX_BYTES = 1024,
	/* every event client is sent the whole object */
	STREAM_MAX = 256 * 1024,
	/* what a start message may take, less its frame */
	START_MAX = MSG_SIZE_MAX - STREAM_OPTIONS_MAX - 4096,
};

bool check_id(const char *id)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789_.-";
	size_t len = strspn(id, allowed);

	return len >= 1 && len <= ID_MAX && id[len] == '\0';
}

static void judge_id(struct judge *j, const json_t *stream)
{
	const json_t *id = json_object_get(stream, "id");
	size_t mark = judge_down(j, "id");

	if (id == NULL)
		judge_say(j, CHECK_FAULT, "is missing");
	else if (!json_is_string(id))
		judge_say(j, CHECK_FAULT, "is not a string");
	else if (!check_id(json_string_value(id)))
		judge_say(j, CHECK_FAULT,
			  "\"%.64s\" is not 1 to %d characters of A-Z a-z 0-9 "
			  "_ . -", json_string_value(id), ID_MAX);
	judge_up(j, mark);
}

static void judge_type(struct judge *j, const json_t *stream)
{
	const char *type = json_string_value(json_object_get(stream, "type"));
	size_t mark = judge_down(j, "type");

	if (type != NULL && strcmp(type, "spts") != 0 &&
	    strcmp(type, "mpts") != 0)
		judge_say(j, CHECK_FAULT, "\"%.32s\" is not spts or mpts",
			  type);
	judge_up(j, mark);
}

static void judge_name(struct judge *j, const json_t *stream)
{
	size_t mark = judge_down(j, "name");

	if (json_string_length(json_object_get(stream, "name")) >
	    NAME_MAX_BYTES)
		judge_say(j, CHECK_FAULT, "is longer than %d bytes",
			  NAME_MAX_BYTES);
	judge_up(j, mark);
}

static void judge_groups(struct judge *j, const json_t *stream)
{
	size_t mark = judge_down(j, "groups");
	const char *category;
	json_t *group;

	json_object_foreach(json_object_get(stream, "groups"), category,
			    group) {
		size_t inner = judge_down(j, category);

		if (!json_is_string(group))
			judge_say(j, CHECK_FAULT, "is not a string");
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

static void say_remark(const char *text, void *arg)
{
	judge_say(arg, CHECK_WARNING, "%s", text);
}

/* An address of a later version may wait in a stream that is off. */
static void say_address(struct judge *j, int r, bool enabled,
			const struct errmsg *why)
{
	judge_say(j, r == -ENOTSUP && !enabled ? CHECK_WARNING : CHECK_FAULT,
		  "%s", why->text);
}

static bool is_dvb(const char *address)
{
	return strncasecmp(address, "dvb://", 6) == 0;
}

/* all: NULL when it does not run. */
static void judge_input(struct judge *j, const char *text, bool enabled,
			struct judge_outputs *all)
{
	struct input_spec spec;
	struct errmsg why;
	int r = input_spec_parse(text, &spec, say_remark, j, &why);

	/* adapters are kept, and so are the streams they will feed */
	if (r < 0)
		say_address(j, r, enabled && !is_dvb(text), &why);
	else if (all != NULL)
		judge_input_place(j, &spec, all);
}

static void judge_output(struct judge *j, const char *text, bool enabled,
			 struct judge_outputs *all)
{
	struct output_spec spec;
	struct errmsg why;
	int r = output_spec_parse(text, &spec, say_remark, j, &why);

	if (r < 0)
		say_address(j, r, enabled, &why);
	else if (enabled)
		judge_output_place(j, &spec, all);
}

static void judge_addresses(struct judge *j, const json_t *stream,
			    const char *key, struct judge_outputs *all)
{
	bool enabled = json_is_true(json_object_get(stream, "enable"));
	const json_t *list = json_object_get(stream, key);
	bool out = strcmp(key, "output") == 0;
	size_t limit = out ? MSG_OUTPUTS_MAX : MSG_INPUTS_MAX;
	size_t mark = judge_down(j, key);
	const json_t *value;
	size_t i;

	if (json_array_size(list) > limit)
		judge_say(j, CHECK_FAULT, "has more than %zu addresses",
			  limit);
	json_array_foreach((json_t *)list, i, value) {
		const char *text = json_string_value(value);
		size_t inner = judge_down_index(j, i);

		if (text != NULL && out)
			judge_output(j, text, enabled, all);
		else if (text != NULL)
			judge_input(j, text, enabled, enabled ? all : NULL);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

static void judge_size(struct judge *j, const json_t *stream)
{
	/* the start message carries them in one datagram */
	static const char *const keys[] = { "name", "input", "output" };
	size_t size = 0;

	if (json_dumpb(stream, NULL, 0, JSON_COMPACT) > STREAM_MAX)
		judge_say(j, CHECK_FAULT, "is longer than %d bytes",
			  STREAM_MAX);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *value = json_object_get(stream, keys[i]);

		if (value != NULL)
			size += json_dumpb(value, NULL, 0, JSON_ENCODE_ANY);
	}
	if (size > START_MAX)
		judge_say(j, CHECK_FAULT,
			  "name and addresses are longer than %d bytes",
			  START_MAX);
}

/* They are counted modulo 32, so any other one is an odd way to say it. */
static void judge_versions(struct judge *j, const json_t *stream)
{
	static const char *const keys[] = {
		"pat_version", "pmt_version", "cat_version", "sdt_version",
		"nit_version",
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *value = json_object_get(stream, keys[i]);
		size_t mark = judge_down(j, keys[i]);

		if (json_integer_value(value) >= TABLE_VERSIONS)
			judge_say(j, CHECK_WARNING, "%lld is above %d: it "
				  "counts as %lld",
				  (long long)json_integer_value(value),
				  TABLE_VERSIONS - 1,
				  (long long)json_integer_value(value) %
					  TABLE_VERSIONS);
		judge_up(j, mark);
	}
}

/* Options of its worker. */
static void judge_options(struct judge *j, const json_t *stream)
{
	json_t *options = stream_spec_pick(stream);
	struct stream_spec spec;

	judge_fields(j, &stream_option_fields, options, &spec);
	if (json_dumpb(options, NULL, 0, JSON_COMPACT) > STREAM_OPTIONS_MAX)
		judge_say(j, CHECK_FAULT,
			  "its options are longer than %d bytes",
			  STREAM_OPTIONS_MAX);
	json_decref(options);
}

void judge_stream(struct judge *j, const json_t *stream,
		  struct judge_outputs *all)
{
	if (!json_is_object(stream)) {
		judge_say(j, CHECK_FAULT, "is not an object");
		return;
	}
	judge_id(j, stream);
	judge_fields(j, &stream_fields, stream, NULL);
	judge_type(j, stream);
	judge_name(j, stream);
	judge_groups(j, stream);
	judge_addresses(j, stream, "input", all);
	judge_addresses(j, stream, "output", all);
	judge_options(j, stream);
	judge_versions(j, stream);
	judge_size(j, stream);
}

/* Every input of the list is an adapter's. */
static bool is_all_dvb(const json_t *inputs)
{
	const json_t *input;
	size_t i;

	json_array_foreach((json_t *)inputs, i, input)
		if (!json_is_string(input) || !is_dvb(json_string_value(input)))
			return false;
	return true;
}

bool check_stream_idle(const json_t *stream, struct errmsg *ret)
{
	const char *type = json_string_value(json_object_get(stream, "type"));
	size_t n = json_array_size(json_object_get(stream, "input"));

	if (n == 0) {
		errmsg_set(ret, "input: there is none");
		return true;
	}
	if (is_all_dvb(json_object_get(stream, "input"))) {
		errmsg_set(ret, "input: adapters are not run by this version");
		return true;
	}
	if (n > 1 && type != NULL && strcmp(type, "mpts") == 0) {
		errmsg_set(ret, "type: an mpts of several inputs is not "
				"supported by this version");
		return true;
	}
	return false;
}
