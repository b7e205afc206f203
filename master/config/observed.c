/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/observed.h"

#include "master/config/config_fields.h"
#include "proto/spec/value_open.h"

#include <stdint.h>
#include <string.h>

static json_t *open_object(const struct field_table *const *tables,
			   const json_t *object);

/* Returns what an observer sees of an entry; NULL: it is no object. */
static json_t *open_entry(const json_t *entry, const void *tables)
{
	return json_is_object(entry) ? open_object(tables, entry) : NULL;
}

/* Returns what an observer sees of {format, host, port} of auth.backend. */
static json_t *open_backend(const json_t *backend)
{
	static const struct field rows[] = {
		{ "format", .type = FIELD_STRING, .flags = FIELD_OBSERVER },
		{ "host", .type = FIELD_STRING,
		  .flags = FIELD_OBSERVER | FIELD_ADDRESS },
		{ "port", .type = FIELD_UINT, .flags = FIELD_OBSERVER },
	};
	static const struct field_table table = { .rows = rows,
						  .n = ARRAY_LEN(rows) };
	const struct field_table *const tables[] = { &table, NULL };

	return open_object(tables, backend);
}

static json_t *open_address(const json_t *value, const void *arg)
{
	const char *text = json_string_value(value);
	const struct field *f = arg;

	if (json_is_object(value))
		return open_backend(value);
	return text != NULL ? value_open_address(f->key, text) : NULL;
}

/* Returns what an observer sees of the value of a field; NULL: it does not have
 * the type of the field. */
static json_t *open_value(const struct field *f, const json_t *value)
{
	const struct field_table *const tables[] = { f->of, NULL };

	if (f->flags & FIELD_ADDRESS)
		return value_open_each(value, open_address, f);
	if (f->of != NULL)
		return value_open_each(value, open_entry, tables);
	/* the value is one of a few words, or its number */
	if (f->choices != NULL)
		return value_open_each(value, value_open_scalar, NULL);
	switch (f->type) {
	case FIELD_BOOL:
	case FIELD_UINT:
	case FIELD_INT:
	case FIELD_REAL:
		return value_open_number(value, NULL);
	case FIELD_JSON:
		return json_is_object(value) ? value_open_items(
				value, value_open_scalar, NULL) : NULL;
	default:
		return value_open_each(value, value_open_scalar, NULL);
	}
}

/* Returns an object with the keys that the tables mark for observers, and with
 * the keys "remove" and "up", which mark a change. */
static json_t *open_object(const struct field_table *const *tables,
			   const json_t *object)
{
	static const char *const marks[] = { "remove", "up" };
	json_t *copy = json_object(), *value;
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)object, key, value) {
		const struct field *f = NULL;
		json_t *shown = NULL;

		for (size_t i = 0; tables[i] != NULL && f == NULL; i++)
			f = field_find(tables[i], key);
		if (f != NULL && f->flags & FIELD_OBSERVER)
			shown = open_value(f, value);
		if (shown != NULL)
			(void)json_object_set_new(copy, key, shown);
	}
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		value = json_object_get(object, marks[i]);
		if (json_is_boolean(value))
			(void)json_object_set(copy, marks[i], value);
	}
	return copy;
}

json_t *observed_entry(const struct config_section *section,
		       const json_t *entry)
{
	return open_entry(entry, section->tables);
}

json_t *observed_section(const char *key, const json_t *value)
{
	const struct config_section *s = config_fields_of(key);

	if (s == NULL)
		return NULL;
	if (json_is_array(value) || strcmp(key, "users") == 0)
		return value_open_items(value, open_entry, s->tables);
	return open_entry(value, s->tables);
}

json_t *observed_document(const json_t *document)
{
	json_t *copy = json_object(), *value;
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)document, key, value) {
		json_t *shown = strcmp(key, "gid") == 0
					? value_open_number(value, NULL)
					: observed_section(key, value);

		if (shown != NULL)
			(void)json_object_set_new(copy, key, shown);
	}
	return copy;
}
