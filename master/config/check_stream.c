/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges one stream object. */
#include "master/config/config_fields.h"
#include "master/config/judge.h"
#include "master/config/keep_active.h"
#include "master/config/variant.h"
#include "proto/ipc/contract.h"
#include "proto/si/text.h"
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
	/* limit of a stream object, because every event client receives it */
	STREAM_MAX = 256 * 1024,
	/* limit of names and addresses in a start message */
	START_MAX = MSG_SIZE_MAX - STREAM_OPTIONS_MAX - 4096,
	/* a value of a parameter `where' besides those of enum where */
	WHERE_NO_INPUT = 1 << 30,
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

	/* the table of fields reports an absent id */
	if (id != NULL && !json_is_string(id))
		judge_add(j, CHECK_FAULT, "is not a string");
	else if (id != NULL && !check_id(json_string_value(id)))
		judge_add(j, CHECK_FAULT,
			  "\"%.64s\" is not 1 to %d characters of A-Z a-z 0-9 "
			  "_ . -", json_string_value(id), ID_MAX);
	judge_up(j, mark);
}

void judge_keep_active(struct judge *j, const json_t *object)
{
	size_t mark = judge_down(j, "http_keep_active");
	struct errmsg error;
	int keep_s;

	/* only a warning, because earlier versions stored any value */
	if (keep_active_read(json_object_get(object, "http_keep_active"),
			     &keep_s, &error) < 0)
		judge_add(j, CHECK_WARNING, "%s: the stream is always on",
			  error.text);
	judge_up(j, mark);
}

/* Judges type, name and groups. */
static void judge_labels(struct judge *j, const json_t *stream)
{
	const char *type = json_string_value(json_object_get(stream, "type"));
	const json_t *groups = json_object_get(stream, "groups");
	size_t mark = judge_down(j, "type");
	const char *category;
	json_t *group;

	if (type != NULL && strcmp(type, "spts") != 0 &&
	    strcmp(type, "mpts") != 0)
		judge_add(j, CHECK_FAULT, "\"%.32s\" is not spts or mpts",
			  type);
	judge_up(j, mark);
	(void)judge_down(j, "name");
	if (json_string_length(json_object_get(stream, "name")) >
	    NAME_MAX_BYTES)
		judge_add(j, CHECK_FAULT, "is longer than %d bytes",
			  NAME_MAX_BYTES);
	judge_up(j, mark);
	(void)judge_down(j, "groups");
	json_object_foreach((json_t *)groups, category, group) {
		size_t inner = judge_down(j, category);

		if (!json_is_string(group))
			judge_add(j, CHECK_FAULT, "is not a string");
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

/* Judges the keys of a variant of a master playlist. */
static void judge_variant(struct judge *j, const json_t *stream)
{
	const char *group = json_string_value(json_object_get(stream,
							      "hls_group"));
	const char *header = json_string_value(json_object_get(stream,
							       "hls_header"));
	size_t mark = judge_down(j, "hls_group");
	struct errmsg error;

	if (group != NULL && group[0] != '\0' && !check_id(group))
		judge_add(j, CHECK_WARNING, "its master playlist has no path: "
					    "the name is not 1 to %d "
					    "characters of A-Z a-z 0-9 _ . -",
			  ID_MAX);
	judge_up(j, mark);
	(void)judge_down(j, "hls_header");
	if (header != NULL && variant_header_check(header, &error) < 0)
		judge_add(j, CHECK_WARNING, "is not used: %s", error.text);
	judge_up(j, mark);
}

static void on_remark(const char *text, void *arg)
{
	judge_add(arg, CHECK_WARNING, "%s", text);
}

/* Judges an address.  where: as judge_where() for an input; WHERE_NO_INPUT: an
 * output. */
static void judge_address(struct judge *j, const char *text, unsigned where,
			  bool enabled, struct judge_outputs *all)
{
	bool is_output = where == WHERE_NO_INPUT;
	struct output_spec out;
	struct input_spec in;
	struct errmsg error;
	int r = is_output
		? output_spec_parse(text, &out, on_remark, j, &error)
		: input_spec_judge(text, where, &in, on_remark, j, &error);
	/* a disabled stream may keep an address of a later version, and any
	 * dvb:// address, because earlier versions stored any */
	bool may_stay = !enabled &&
			(r == -ENOTSUP ||
			 (!is_output && strncasecmp(text, "dvb://", 6) == 0));

	if (r < 0)
		judge_add(j, may_stay ? CHECK_WARNING : CHECK_FAULT, "%s",
			  error.text);
	else if (enabled && is_output)
		judge_output_place(j, &out, all);
	else if (enabled)
		judge_input_place(j, &in, all);
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
		judge_add(j, CHECK_FAULT, "has more than %zu addresses",
			  limit);
	json_array_foreach((json_t *)list, i, value) {
		const char *text = json_string_value(value);
		size_t inner = judge_down_index(j, i);

		if (text != NULL)
			judge_address(j, text, out ? WHERE_NO_INPUT
						   : judge_where(stream),
				      enabled, all);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

static void judge_size(struct judge *j, const json_t *stream)
{
	/* the start message has the values of these keys in one datagram */
	static const char *const keys[] = { "name", "input", "output" };
	size_t size = 0;

	if (json_dumpb(stream, NULL, 0, JSON_COMPACT) > STREAM_MAX)
		judge_add(j, CHECK_FAULT, "is longer than %d bytes",
			  STREAM_MAX);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *value = json_object_get(stream, keys[i]);

		if (value != NULL)
			size += json_dumpb(value, NULL, 0, JSON_ENCODE_ANY);
	}
	if (size > START_MAX)
		judge_add(j, CHECK_FAULT,
			  "name and addresses are longer than %d bytes",
			  START_MAX);
}

/* Warns of a table version above 31, which is probably a typing error: versions
 * are modulo 32. */
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
			judge_add(j, CHECK_WARNING, "%lld is above %d: it "
				  "counts as %lld",
				  (long long)json_integer_value(value),
				  TABLE_VERSIONS - 1,
				  (long long)json_integer_value(value) %
					  TABLE_VERSIONS);
		judge_up(j, mark);
	}
}

void judge_stream(struct judge *j, const json_t *stream,
		  struct judge_outputs *all)
{
	json_int_t page = json_integer_value(json_object_get(stream,
							     "epg_codepage"));
	struct stream_spec spec;
	struct errmsg reason;
	json_t *options;
	size_t mark;

	if (!json_is_object(stream)) {
		judge_add(j, CHECK_FAULT, "is not an object");
		return;
	}
	judge_id(j, stream);
	judge_fields(j, &stream_fields, stream, NULL);
	judge_labels(j, stream);
	judge_keep_active(j, stream);
	mark = judge_down(j, "http_keep_active");
	if (keep_active_is_idle(stream, all->settings, &reason))
		judge_add(j, CHECK_WARNING, "has no effect: %s", reason.text);
	judge_up(j, mark);
	judge_variant(j, stream);
	judge_addresses(j, stream, "input", all);
	judge_addresses(j, stream, "output", all);
	judge_mpts(j, stream);

	/* the options for the worker of the stream */
	options = stream_spec_pick(stream);
	judge_fields(j, &stream_option_fields, options, &spec);
	if (json_dumpb(options, NULL, 0, JSON_COMPACT) > STREAM_OPTIONS_MAX)
		judge_add(j, CHECK_FAULT,
			  "all options of the stream are longer than %d bytes",
			  STREAM_OPTIONS_MAX);
	json_decref(options);
	judge_versions(j, stream);

	/* the table of fields judges the bounds */
	mark = judge_down(j, "epg_codepage");
	if (page >= 0 && page <= TEXT_UTF8 && !text_table_ok((unsigned)page))
		judge_add(j, CHECK_FAULT, "%d is not a code page: 0 is ISO "
			  "6937, 1 to 11 and 13 to 15 are ISO 8859, 21 is "
			  "UTF-8", (int)page);
	judge_up(j, mark);
	judge_size(j, stream);
}

bool check_stream_idle(const json_t *stream, struct errmsg *ret)
{
	const char *type = json_string_value(json_object_get(stream, "type"));
	const json_t *inputs = json_object_get(stream, "input");
	size_t n = json_array_size(inputs);

	if (n == 0)
		errmsg_set(ret, "input: the list is empty");
	else if (n > 1 && type != NULL && strcmp(type, "mpts") == 0 &&
		 json_object_get(stream, "bitrate") == NULL)
		errmsg_set(ret, "bitrate: an mpts of several inputs needs a "
				"rate, in kbit/s");
	else
		return false;
	return true;
}
