/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/unknown_keys.h"

#include "common/base/util.h"
#include "master/config/config_fields.h"
#include "master/config/judge.h"
#include "proto/spec/stream_spec.h"

static void on_unknown(const char *key, const char *nearest, void *judge)
{
	if (nearest != NULL)
		judge_add(judge, CHECK_WARNING,
			  "\"%.64s\" is not known; is it \"%s\"?", key,
			  nearest);
	else
		judge_add(judge, CHECK_WARNING, "\"%.64s\" is not known", key);
}

static void look_at_stream(struct judge *j, const json_t *stream)
{
	const struct field_table *const tables[] = { &stream_fields,
						     &stream_option_fields };
	struct errmsg error;

	field_find_unknown(tables, ARRAY_LEN(tables), stream, on_unknown, j);
	if (json_is_true(json_object_get(stream, "enable")) &&
	    check_stream_idle(stream, &error))
		judge_add(j, CHECK_WARNING, "is enabled and does not run: %s",
			  error.text);
}

void unknown_keys_find(const json_t *document, check_found_fn *found,
		       void *arg)
{
	const struct field_table *table = &document_fields;
	struct judge j = { .found = found, .arg = arg };
	const json_t *stream;
	size_t mark, i;

	field_find_unknown(&table, 1, document, on_unknown, &j);
	for (i = 0; i < n_config_sections; i++) {
		const struct config_section *s = &config_sections[i];

		if (s->list)
			continue;
		mark = judge_down(&j, s->key);
		field_find_unknown(&s->fields, 1,
				   json_object_get(document, s->key),
				   on_unknown, &j);
		judge_up(&j, mark);
	}
	mark = judge_down(&j, "make_stream");
	json_array_foreach(json_object_get(document, "make_stream"), i,
			   stream) {
		size_t inner = judge_down_index(&j, i);

		look_at_stream(&j, stream);
		judge_up(&j, inner);
	}
	judge_up(&j, mark);
}

void unknown_keys_find_stream(const json_t *stream, const char *path,
			      check_found_fn *found, void *arg)
{
	struct judge j = { .found = found, .arg = arg };

	(void)judge_down(&j, path);
	look_at_stream(&j, stream);
}
