/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/unknown_keys.h"

#include "common/base/util.h"
#include "master/config/config_fields.h"
#include "master/config/judge.h"

#include <string.h>

static void on_unknown(const char *key, const char *nearest, void *judge)
{
	if (nearest != NULL)
		judge_add(judge, CHECK_WARNING,
			  "\"%.64s\" is not known; is it \"%s\"?", key,
			  nearest);
	else
		judge_add(judge, CHECK_WARNING, "\"%.64s\" is not known", key);
}

/* Reports unknown keys of one object of the section. */
static void look_at_entry(struct judge *j, const char *section,
			  const json_t *entry)
{
	const struct config_section *s = config_fields_of(section);
	size_t n = 0;

	while (s->tables[n] != NULL)
		n++;
	field_find_unknown(s->tables, n, entry, on_unknown, j);
}

static void look_at_stream(struct judge *j, const json_t *stream)
{
	look_at_entry(j, "make_stream", stream);
}

/* Lists whose entries are checked, besides the streams.  Users and groups of
 * outputs are not, because they may have keys of other programs. */
static const char *const lists[] = { "softcam", "cas", "dvb_tune", "servers",
				     "categories" };

/* Reports unknown keys of an entry of a list, such as softcam or dvb_tune. */
static void look_at_listed(struct judge *j, const char *section,
			   const json_t *entry)
{
	const struct field_table *table = &group_fields;
	const json_t *group;
	size_t mark, i;

	look_at_entry(j, section, entry);
	if (strcmp(section, "categories") != 0)
		return;
	mark = judge_down(j, "groups");
	json_array_foreach(json_object_get(entry, "groups"), i, group) {
		size_t inner = judge_down_index(j, i);

		field_find_unknown(&table, 1, group, on_unknown, j);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

static void look_whether_idle(struct judge *j, const json_t *stream)
{
	struct errmsg error;

	if (json_is_true(json_object_get(stream, "enable")) &&
	    check_stream_idle(stream, &error))
		judge_add(j, CHECK_WARNING, "is enabled and does not run: %s",
			  error.text);
}

void unknown_keys_find_entry(const struct check_entry *entry,
			     check_found_fn *found, void *arg)
{
	struct judge j = { .found = found, .arg = arg };

	(void)judge_down(&j, entry->path);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (strcmp(lists[i], entry->section) == 0)
			look_at_listed(&j, entry->section, entry->entry);
}

static void look_at_entries(struct judge *j, const json_t *document)
{
	const json_t *entry;
	size_t i;

	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		size_t mark = judge_down(j, lists[k]);

		json_array_foreach(json_object_get(document, lists[k]), i,
				   entry) {
			size_t inner = judge_down_index(j, i);

			look_at_listed(j, lists[k], entry);
			judge_up(j, inner);
		}
		judge_up(j, mark);
	}
}

static void for_streams(struct judge *j, const json_t *document,
			void (*look)(struct judge *, const json_t *stream))
{
	size_t mark = judge_down(j, "make_stream"), i;
	const json_t *stream;

	json_array_foreach(json_object_get(document, "make_stream"), i,
			   stream) {
		size_t inner = judge_down_index(j, i);

		look(j, stream);
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

void idle_streams_find(const json_t *document, check_found_fn *found,
		       void *arg)
{
	struct judge j = { .found = found, .arg = arg };

	for_streams(&j, document, look_whether_idle);
}

void unknown_keys_find(const json_t *document, check_found_fn *found,
		       void *arg)
{
	const struct field_table *table = &document_fields;
	struct judge j = { .found = found, .arg = arg };
	size_t mark, i;

	field_find_unknown(&table, 1, document, on_unknown, &j);
	for (i = 0; i < n_config_sections; i++) {
		const struct config_section *s = &config_sections[i];

		if (s->list)
			continue;
		mark = judge_down(&j, s->key);
		look_at_entry(&j, s->key, json_object_get(document, s->key));
		judge_up(&j, mark);
	}
	look_at_entries(&j, document);
	for_streams(&j, document, look_at_stream);
}

void unknown_keys_find_stream(const json_t *stream, const char *path,
			      check_found_fn *found, void *arg)
{
	struct judge j = { .found = found, .arg = arg };

	(void)judge_down(&j, path);
	look_at_stream(&j, stream);
	look_whether_idle(&j, stream);
}
