/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/effective.h"

#include "master/config/config_fields.h"
#include "master/config/describe.h"
#include "master/config/observed.h"
#include "proto/spec/address_open.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* True: the value of a key is absent (NULL), null or "", which mean the same.
 * A key with any text (a string without enum) is absent only if it is NULL. */
static bool is_absent(const json_t *value, const json_t *schema)
{
	const char *type = json_string_value(json_object_get(schema, "type"));

	if (value == NULL || (type != NULL && strcmp(type, "string") == 0 &&
			      json_object_get(schema, "enum") == NULL))
		return value == NULL;
	return json_is_null(value) ||
	       (json_is_string(value) && json_string_length(value) == 0);
}

/* Sets absent keys of an object to their defaults.  from (may be NULL): values
 * to use rather than the defaults of the schema. */
static void fill(const json_t *schema, json_t *object, const json_t *from)
{
	const json_t *keys = json_object_get(schema, "properties");
	json_t *row, *value, *item;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)keys, key, row) {
		value = json_object_get(object, key);
		if (!is_absent(value, row)) {
			if (json_is_object(value))
				fill(row, value, NULL);
			json_array_foreach(value, i, item)
				if (json_is_object(item))
					fill(json_object_get(row, "items"),
					     item, NULL);
			continue;
		}
		value = json_object_get(from, key);
		if (is_absent(value, row))
			value = json_object_get(row, "default");
		if (value != NULL && json_object_get(row, "deprecated") == NULL)
			(void)json_object_set(object, key, value);
	}
}

/* Calls fill() for each object of a list or a map. */
static void fill_each(const json_t *schema, json_t *entries, const json_t *from)
{
	const char *key;
	json_t *entry;
	size_t i;

	json_array_foreach(entries, i, entry)
		if (json_is_object(entry))
			fill(schema, entry, from);
	json_object_foreach(entries, key, entry)
		if (json_is_object(entry))
			fill(schema, entry, from);
}

json_t *effective_document(const json_t *document, const json_t *first)
{
	json_t *copy = json_deep_copy(document), *schemas = config_describe();

	/* settings before streams, which take defaults from them */
	for (size_t i = 0; i < n_config_sections; i++) {
		const struct config_section *s = &config_sections[i];
		const json_t *schema = json_object_get(schemas, s->key);
		json_t *section = json_object_get(copy, s->key);

		if (s->list) {
			fill_each(schema, section,
				  strcmp(s->key, "make_stream") == 0
					  ? json_object_get(copy, "settings")
					  : NULL);
			continue;
		}
		/* [] is an empty object as well */
		if (!json_is_object(section)) {
			section = json_object();
			(void)json_object_set_new(copy, s->key, section);
		}
		fill(schema, section, json_object_get(first, s->key));
	}
	json_decref(schemas);
	return copy;
}

static json_t *hidden(void)
{
	return json_string(ADDRESS_HIDDEN);
}

static void mark_hidden(const json_t *whole, json_t *shown)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)whole, key, value)
		if (json_object_get(shown, key) != NULL)
			mark_hidden(value, json_object_get(shown, key));
		else
			(void)json_object_set_new(shown, key, hidden());
	json_array_foreach(whole, i, value)
		if (!json_is_null(json_array_get(shown, i)))
			mark_hidden(value, json_array_get(shown, i));
		else if (!json_is_null(value))
			(void)json_array_set_new(shown, i, hidden());
}

json_t *effective_hide(const json_t *document)
{
	json_t *shown = observed_document(document);

	mark_hidden(document, shown);
	return shown;
}
