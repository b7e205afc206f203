/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/diff_effect.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "common/supervise/pem_source.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/stream_spec.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

static const char streams[] = "make_stream";

const char *diff_effect_name(enum diff_effect effect)
{
	static const char *const names[] = {
		[DIFF_AT_ONCE] = "at-once",
		[DIFF_STARTS] = "starts",
		[DIFF_STOPS] = "stops",
		[DIFF_RESTARTS] = "restarts",
		[DIFF_CONTINUES] = "continues",
		[DIFF_CONTROL] = "control-restarts",
	};

	return names[effect];
}

static const json_t *find(const json_t *document, const char *id)
{
	json_t *stream;
	size_t i;

	json_array_foreach(json_object_get(document, streams), i, stream) {
		const char *its = json_string_value(
			json_object_get(stream, "id"));

		if (its != NULL && strcmp(its, id) == 0)
			return stream;
	}
	return NULL;
}

static bool is_enabled(const json_t *stream)
{
	return json_is_true(json_object_get(stream, "enable"));
}

/* Returns the options of the worker of a stream, with the defaults of the
 * settings; a new reference. */
static json_t *options_of(const json_t *document, const json_t *stream)
{
	json_t *options = stream_spec_pick(stream);

	stream_spec_add_defaults(options,
				 json_object_get(document, "settings"));
	return options;
}

/* Is http_play_hls set, with which the workers of all streams make HLS
 * segments? */
static bool plays_hls(const json_t *document)
{
	return json_is_true(json_object_get(
		json_object_get(document, "settings"), "http_play_hls"));
}

struct file_use {
	bool any;  /* an input or output is a file */
	bool list; /* an input is a list of files */
};

static struct file_use file_use_of(const json_t *stream)
{
	struct file_use use = { .any = false };
	struct output_spec out;
	struct input_spec in;
	const json_t *address;
	const char *text;
	size_t i;

	json_array_foreach(json_object_get(stream, "input"), i, address) {
		text = json_string_value(address);
		if (text == NULL ||
		    input_spec_parse(text, &in, NULL, NULL, NULL) < 0)
			continue;
		use.list = use.list || in.list;
		use.any = use.any || in.kind == INPUT_FILE ||
			  in.kind == INPUT_SDP;
	}
	json_array_foreach(json_object_get(stream, "output"), i, address) {
		text = json_string_value(address);
		use.any = use.any ||
			  (text != NULL &&
			   output_spec_parse(text, &out, NULL, NULL,
					     NULL) == 0 &&
			   out.kind == OUTPUT_FILE);
	}
	return use;
}

/* The file of the private key; "": there is none. */
static const char *key_file_of(const json_t *document)
{
	const char *key = json_string_value(json_object_get(
		json_object_get(document, "settings"), "crt_key"));

	return key == NULL || pem_source_is_text(key) ? "" : key;
}

/* Returns a new object whose keys are the folders in which streams record. */
static json_t *recordings_of(const json_t *document)
{
	json_t *folders = json_object();
	const json_t *stream, *output;
	struct output_spec spec;
	size_t i, k;

	json_array_foreach(json_object_get(document, streams), i, stream)
		json_array_foreach(json_object_get(stream, "output"), k,
				   output) {
			const char *text = json_string_value(output);

			if (text == NULL ||
			    output_spec_parse(text, &spec, NULL, NULL,
					      NULL) < 0 ||
			    spec.kind != OUTPUT_FILE)
				continue;
			(void)json_object_set_new(folders, dirname(spec.path),
						  json_true());
		}
	return folders;
}

/* True: the sandbox of the worker of the stream stays valid.  A worker that
 * plays a list of files has no access to the folders in which streams record,
 * and one that reads or writes a file has none to the private key.  So it is
 * replaced if these folders or the name of the key change. */
static bool has_same_access(const json_t *from, const json_t *to,
			    const json_t *stream)
{
	struct file_use use = file_use_of(stream);
	json_t *before, *after;
	bool same;

	if (use.any && strcmp(key_file_of(from), key_file_of(to)) != 0)
		return false;
	if (!use.list)
		return true;
	before = recordings_of(from);
	after = recordings_of(to);
	same = json_equal(before, after);
	json_decref(before);
	json_decref(after);
	return same;
}

/* Can the worker of the old stream continue with the configuration of the new
 * one? */
static bool is_same_work(const json_t *from, const json_t *to,
			 const json_t *old, const json_t *new)
{
	static const char *const lists[] = { "input", "output" };
	json_t *before = options_of(from, old), *after = options_of(to, new);
	const char *type = json_string_value(json_object_get(new, "type"));
	size_t n = json_array_size(json_object_get(new, "input"));
	bool is_mux = n > 1 && type != NULL && strcmp(type, "mpts") == 0;
	unsigned where = is_mux ? WHERE_MUX : n == 1 ? WHERE_SINGLE : 0;
	bool same = stream_spec_is_same(before, after, where) &&
		    plays_hls(from) == plays_hls(to) &&
		    has_same_access(from, to, new);

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		const json_t *a = json_object_get(old, lists[i]);
		const json_t *b = json_object_get(new, lists[i]);

		/* an absent list equals an empty one */
		same = same && (json_equal(a, b) ||
				json_array_size(a) + json_array_size(b) == 0);
	}
	json_decref(before);
	json_decref(after);
	return same;
}

enum diff_effect diff_effect_of(const json_t *from, const json_t *to,
				const char *id)
{
	const json_t *old = find(from, id), *new = find(to, id);
	bool ran = is_enabled(old), runs = is_enabled(new);

	if (!ran && !runs)
		return DIFF_AT_ONCE;
	if (!ran || !runs)
		return runs ? DIFF_STARTS : DIFF_STOPS;
	return is_same_work(from, to, old, new) ? DIFF_CONTINUES
						: DIFF_RESTARTS;
}

enum diff_effect diff_effect_of_change(const json_t *from, const json_t *to,
				       const json_t *change)
{
	static const char *const live[] = { streams, "users", "auth", "log",
					    "gid" };
	const char *path = json_string_value(json_object_get(change, "path"));
	size_t len = strcspn(path, ".["), n = strlen(streams);
	enum diff_effect effect = DIFF_CONTROL;
	const char *end;
	char *id;

	for (size_t i = 0; i < ARRAY_LEN(live); i++)
		if (strlen(live[i]) == len && memcmp(live[i], path, len) == 0)
			effect = DIFF_AT_ONCE;
	end = strchr(path, ']');
	if (len != n || memcmp(path, streams, n) != 0 || path[n] != '[' ||
	    end == NULL)
		return effect;
	id = xstrndup(path + n + 1, (size_t)(end - path) - n - 1);
	effect = diff_effect_of(from, to, id);
	free(id);
	return effect;
}

json_t *diff_effect_streams(const json_t *from, const json_t *to,
			    enum diff_effect effect)
{
	json_t *all = json_array(), *list = json_array(), *stream;
	size_t i;

	(void)json_array_extend(all, json_object_get(from, streams));
	json_array_foreach(json_object_get(to, streams), i, stream) {
		const char *id = json_string_value(
			json_object_get(stream, "id"));

		if (id != NULL && find(from, id) == NULL)
			(void)json_array_append(all, stream);
	}
	json_array_foreach(all, i, stream) {
		json_t *name = json_object_get(stream, "id");
		const char *id = json_string_value(name);

		/* a stream that continues without a difference is not listed */
		if (id != NULL && diff_effect_of(from, to, id) == effect &&
		    (effect != DIFF_CONTINUES ||
		     !json_equal(find(from, id), find(to, id))))
			(void)json_array_append(list, name);
	}
	json_decref(all);
	return list;
}
