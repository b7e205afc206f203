/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/changes.h"

#include "common/base/util.h"
#include "master/api/edit.h"

#include <stdint.h>
#include <string.h>

/* Appends the name of each section of a that is other or none in b, once. */
static void add_sections(json_t *list, const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)a, key, value) {
		json_t *name = json_string(key), *known;
		bool is_listed = strcmp(key, STREAMS) == 0 ||
				 strcmp(key, "gid") == 0 ||
				 json_equal(value, json_object_get(b, key));
		size_t i;

		json_array_foreach(list, i, known)
			is_listed = is_listed || json_equal(known, name);
		if (!is_listed)
			(void)json_array_append(list, name);
		json_decref(name);
	}
}

/* Appends the id of each stream of a that b does not have (others: false), or
 * has otherwise. */
static void add_streams(json_t *list, const json_t *a, const json_t *b,
			bool others)
{
	const json_t *stream;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)a, i, stream) {
		const char *id = edit_text(stream, "id");
		const json_t *same =
			id != NULL ? json_array_get(b, edit_find(b, "id", id))
				   : NULL;

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

	add_streams(added, after, before, false);
	add_streams(changed, after, before, true);
	add_streams(removed, before, after, false);
	add_sections(sections, new, old);
	add_sections(sections, old, new);
	return json_pack("{s:o, s:o, s:o, s:o}", "added", added, "changed",
			 changed, "removed", removed, "sections", sections);
}
