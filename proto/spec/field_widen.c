/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field.h"

#include <stdlib.h>
#include <string.h>

/* Lists every word that the reader accepts, with aliases, "" and null. */
static json_t *list_words(const struct field *f)
{
	const char *const *words = f->choices != NULL ? f->choices : f->words;
	json_t *list = json_array();

	for (; *words != NULL; words++) {
		size_t len = strlen(*words);

		(void)json_array_append_new(list, json_string(*words));
		/* the reader accepts a number instead of its text */
		if (len > 0 && len < 10 && strspn(*words, "0123456789") == len)
			(void)json_array_append_new(
				list, json_integer(strtoll(*words, NULL, 10)));
	}
	(void)json_array_append_new(list, json_string(""));
	(void)json_array_append_new(list, json_null());
	return list;
}

static json_t *list_types(const struct field *f)
{
	switch (f->type) {
	case FIELD_BOOL:
		return json_pack("[ssss]", "boolean", "integer", "string",
				 "null");
	case FIELD_UINT:
	case FIELD_INT:
		return json_pack("[sss]", "integer", "string", "null");
	case FIELD_STRING:
		return json_pack("[ss]", "string", "null");
	case FIELD_TEXT:
		return json_pack("[ssss]", "string", "integer", "boolean",
				 "null");
	case FIELD_JSON:
	case FIELD_OBJECT:
		return json_pack("[sss]", "object", "string", "null");
	case FIELD_LIST:
		return json_pack("[sss]", "array", "string", "null");
	default:
		return NULL;
	}
}

/* Widens the schema of a row of a FIELD_LOOSE table to what the table accepts
 * in addition: null and "", which count as if the key were absent, and the
 * value as another type, such as a number as text. */
static void widen_loose(const struct field *f, json_t *schema)
{
	json_t *types = list_types(f);

	if (json_object_get(schema, "enum") != NULL) {
		(void)json_object_set_new(schema, "enum", list_words(f));
		(void)json_object_del(schema, "type");
		json_decref(types);
		return;
	}
	if (types != NULL)
		(void)json_object_set_new(schema, "type", types);
	(void)json_object_del(schema, "minLength");
	/* the only text that the reader accepts for a list or an object is
	 * "" */
	if (f->type >= FIELD_JSON && f->type <= FIELD_LIST)
		(void)json_object_set_new(schema, "maxLength", json_integer(0));
}

void field_widen(const struct field_table *t, json_t *schema)
{
	json_t *keys = json_object_get(schema, "properties");

	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];
		json_t *row = json_object_get(keys, f->key);

		if (row == NULL)
			continue;
		if (f->of != NULL)
			field_widen(f->of, f->type == FIELD_LIST
					? json_object_get(row, "items") : row);
		/* the hook may accept other types, too */
		if (f->type == FIELD_CUSTOM)
			(void)json_object_del(row, "type");
		else if (t->flags & FIELD_LOOSE)
			widen_loose(f, row);
		if (f->flags & FIELD_LIST_OK) {
			(void)json_object_set_new(row, "type", json_pack(
				"[ss]", "object", "array"));
			(void)json_object_set_new(row, "maxItems",
						  json_integer(0));
		}
	}
}
