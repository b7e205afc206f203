/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/json_diff.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void compare(json_t *found, const char *path, const json_t *from,
		    const json_t *to);

static void note(json_t *found, const char *path, const char *change,
		 const json_t *from, const json_t *to)
{
	json_t *entry = json_pack("{s:s, s:s}", "path", path[0] ? path : ".",
				  "change", change);

	if (from != NULL)
		(void)json_object_set_new(entry, "from",
					  json_deep_copy(from));
	if (to != NULL)
		(void)json_object_set_new(entry, "to", json_deep_copy(to));
	(void)json_array_append_new(found, entry);
}

/* Returns the path of the member key of the object at path, in the grammar of
 * json_path_parse(); the caller frees it. */
static char *below(const char *path, const char *key)
{
	if (key[0] == '\0' || strpbrk(key, ".[]") != NULL)
		return xasprintf("%s[%s]", path, key);
	return xasprintf("%s%s%s", path, path[0] ? "." : "", key);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the keys of both objects, each once, sorted; *ret_n is their number.
 * The caller frees the array. */
static const char **all_keys(const json_t *from, const json_t *to,
			     size_t *ret_n)
{
	const char **keys = xcalloc(json_object_size(from) +
					    json_object_size(to) + 1,
				    sizeof *keys);
	const char *key;
	json_t *value;
	size_t n = 0;

	json_object_foreach((json_t *)from, key, value)
		keys[n++] = key;
	json_object_foreach((json_t *)to, key, value)
		if (json_object_get(from, key) == NULL)
			keys[n++] = key;
	qsort(keys, n, sizeof *keys, by_name);
	*ret_n = n;
	return keys;
}

/* Returns a new object with the elements of the list by id; NULL: an id is
 * missing or occurs twice. */
static json_t *by_id(const json_t *list)
{
	json_t *all = json_object();
	json_t *element;
	size_t i;

	json_array_foreach((json_t *)list, i, element) {
		const char *id = json_string_value(
			json_object_get(element, "id"));

		if (id == NULL || json_object_get(all, id) != NULL) {
			json_decref(all);
			return NULL;
		}
		(void)json_object_set(all, id, element);
	}
	return all;
}

/* Returns the ids of the list that `other', a result of by_id(), also contains,
 * in the order of the list. */
static json_t *order(const json_t *list, const json_t *other)
{
	json_t *ids = json_array();
	json_t *element;
	size_t i;

	json_array_foreach((json_t *)list, i, element) {
		json_t *id = json_object_get(element, "id");

		if (json_object_get(other, json_string_value(id)) != NULL)
			(void)json_array_append(ids, id);
	}
	return ids;
}

static void compare_by_id(json_t *found, const char *path,
			  const json_t *lists[2], const json_t *ids[2])
{
	json_t *before = order(lists[0], ids[1]);
	json_t *after = order(lists[1], ids[0]);
	size_t n;
	const char **keys = all_keys(ids[0], ids[1], &n);

	if (!json_equal(before, after))
		note(found, path, "moved", before, after);
	for (size_t i = 0; i < n; i++) {
		char *place = xasprintf("%s[%s]", path, keys[i]);

		compare(found, place, json_object_get(ids[0], keys[i]),
			json_object_get(ids[1], keys[i]));
		free(place);
	}
	free(keys);
	json_decref(before);
	json_decref(after);
}

static void compare_lists(json_t *found, const char *path, const json_t *from,
			  const json_t *to)
{
	size_t n = MAX(json_array_size(from), json_array_size(to));
	json_t *old = by_id(from), *new = by_id(to);

	if (old != NULL && new != NULL) {
		compare_by_id(found, path, (const json_t *[]){ from, to },
			      (const json_t *[]){ old, new });
	} else {
		for (size_t i = 0; i < n; i++) {
			char *place = xasprintf("%s[%zu]", path, i);

			compare(found, place, json_array_get(from, i),
				json_array_get(to, i));
			free(place);
		}
	}
	json_decref(old);
	json_decref(new);
}

/* Adds the differences of two values to found.  A NULL value is absent. */
static void compare(json_t *found, const char *path, const json_t *from,
		    const json_t *to)
{
	if (from == NULL || to == NULL) {
		note(found, path, from == NULL ? "added" : "removed", from,
		     to);
	} else if (json_is_object(from) && json_is_object(to)) {
		size_t n;
		const char **keys = all_keys(from, to, &n);

		for (size_t i = 0; i < n; i++) {
			char *place = below(path, keys[i]);

			compare(found, place, json_object_get(from, keys[i]),
				json_object_get(to, keys[i]));
			free(place);
		}
		free(keys);
	} else if (json_is_array(from) && json_is_array(to)) {
		compare_lists(found, path, from, to);
	} else if (!json_equal(from, to)) {
		note(found, path, "changed", from, to);
	}
}

json_t *json_diff(const json_t *from, const json_t *to)
{
	json_t *found = json_array();

	compare(found, "", from, to);
	return found;
}
