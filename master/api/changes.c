/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/changes.h"

#include "common/base/util.h"
#include "master/api/edit.h"

#include <stdint.h>
#include <string.h>

/* Appends the names of the sections of a that differ from those of b, or with
 * fresh only those that b does not have.  Ignores the streams and gid. */
static void add_sections(json_t *list, const json_t *a, const json_t *b,
			 bool fresh)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)a, key, value) {
		const json_t *other = json_object_get(b, key);

		if (strcmp(key, STREAMS) != 0 && strcmp(key, "gid") != 0 &&
		    (fresh ? other == NULL : !json_equal(value, other)))
			(void)json_array_append_new(list, json_string(key));
	}
}

/* Returns {id: stream} for the streams of a list, a new object; of streams with
 * the same id, it has the first. */
static json_t *by_id(const json_t *list)
{
	json_t *streams = json_object(), *stream;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, stream) {
		const char *id = edit_text(stream, "id");

		if (id != NULL && json_object_get(streams, id) == NULL)
			(void)json_object_set(streams, id, stream);
	}
	return streams;
}

/* Appends ids of streams of the list a, which it compares with b, an object of
 * by_id().  others false: streams that b does not have; true: streams that b
 * has with another content. */
static void add_streams(json_t *list, const json_t *a, const json_t *b,
			bool others)
{
	const json_t *stream;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)a, i, stream) {
		const char *id = edit_text(stream, "id");
		const json_t *same =
			id != NULL ? json_object_get(b, id) : NULL;

		if (id != NULL && (same != NULL) == others &&
		    (same == NULL || !json_equal(stream, same)))
			(void)json_array_append_new(list, json_string(id));
	}
}

json_t *changes_list(const json_t *old, const json_t *new)
{
	const json_t *before = json_object_get(old, STREAMS);
	const json_t *after = json_object_get(new, STREAMS);
	json_t *added = json_array(), *changed = json_array();
	json_t *removed = json_array(), *sections = json_array();
	json_t *old_ids = by_id(before), *new_ids = by_id(after);

	add_streams(added, after, old_ids, false);
	add_streams(changed, after, old_ids, true);
	add_streams(removed, before, new_ids, false);
	add_sections(sections, new, old, false);
	add_sections(sections, old, new, true);
	json_decref(old_ids);
	json_decref(new_ids);
	return json_pack("{s:o, s:o, s:o, s:o}", "added", added, "changed",
			 changed, "removed", removed, "sections", sections);
}
