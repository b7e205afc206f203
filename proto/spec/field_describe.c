/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field.h"

#include "proto/spec/field_limits.h"

#include <stdlib.h>
#include <string.h>

static void put(json_t *object, const char *key, json_t *take_value)
{
	(void)json_object_set_new(object, key, take_value);
}

/* Writes the bounds of a row into its JSON schema.  Leaves out INT32_MIN and
 * INT64_MAX, which are limits of integer types only. */
static void put_bounds(json_t *schema, const struct field *f, const char *min,
		       const char *max)
{
	struct field_limits l = field_limits(f);

	if (f->type == FIELD_REAL && f->min == 0 && f->max == 0)
		return;
	if (l.min > INT32_MIN && (l.min != 0 || f->type <= FIELD_REAL))
		put(schema, min, json_integer(l.min));
	if (l.max < INT64_MAX)
		put(schema, max, json_integer(l.max));
}

/* Lists the words of a FIELD_UINT as numbers: the reader accepts no others. */
static json_t *list_numbers(const struct field *f)
{
	json_t *list = json_array();

	for (size_t i = 0; f->words[i] != NULL; i++)
		(void)json_array_append_new(
			list, json_integer(strtoll(f->words[i], NULL, 10)));
	return list;
}

static void describe_number(json_t *schema, const struct field *f)
{
	struct field_limits l = field_limits(f);
	json_t *words;
	size_t n;

	if (f->choices == NULL) {
		put(schema, "type", json_string(f->type == FIELD_REAL
							? "number"
							: "integer"));
		if (f->type == FIELD_UINT && f->words != NULL)
			put(schema, "enum", list_numbers(f));
		else
			put_bounds(schema, f, "minimum", "maximum");
		if (f->initial >= l.min && f->initial <= l.max &&
		    !(f->flags & FIELD_REQUIRED))
			put(schema, "default", json_integer(f->initial));
		return;
	}
	n = field_choices(f);
	words = json_array();
	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(words, json_string(f->choices[i]));
	put(schema, "type", json_string("string"));
	put(schema, "enum", words);
	if (!(f->flags & FIELD_REQUIRED))
		put(schema, "default", json_string(f->choices[f->initial]));
}

static json_t *describe_field(const struct field *f)
{
	json_t *schema = json_object();

	switch (f->type) {
	case FIELD_BOOL:
		put(schema, "type", json_string("boolean"));
		if (!(f->flags & FIELD_REQUIRED))
			put(schema, "default",
			    json_boolean((f->initial != 0) !=
					 !!(f->flags & FIELD_NEGATED)));
		break;
	case FIELD_UINT:
	case FIELD_INT:
	case FIELD_REAL:
		describe_number(schema, f);
		break;
	case FIELD_STRING:
	case FIELD_TEXT:
		put(schema, "type", json_string("string"));
		put_bounds(schema, f, "minLength", "maxLength");
		break;
	case FIELD_JSON:
	case FIELD_OBJECT:
		if (f->of != NULL)
			(void)json_object_update_new(schema,
						     field_describe(f->of));
		else
			put(schema, "type", json_string("object"));
		break;
	case FIELD_LIST:
		put(schema, "type", json_string("array"));
		if (f->of != NULL || f->item != NULL)
			put(schema, "items",
			    f->of != NULL ? field_describe(f->of)
					  : describe_field(f->item));
		if (f->min > 0)
			put(schema, "minItems", json_integer(f->min));
		if (f->max > 0)
			put(schema, "maxItems", json_integer(f->max));
		break;
	case FIELD_CUSTOM:
		if (f->hook->schema != NULL)
			put(schema, "type", json_string(f->hook->schema));
		break;
	case FIELD_NONE:
		break;
	}
	if (f->schema != NULL)
		(void)json_object_update_new(schema, json_loads(f->schema, 0,
								NULL));
	if (f->initial_text != NULL)
		put(schema, "default", json_string(f->initial_text));
	if (f->unit != NULL)
		put(schema, "unit", json_string(f->unit));
	if (f->help != NULL)
		put(schema, "description", json_string(f->help));
	if (f->flags & FIELD_SECRET)
		put(schema, "secret", json_true());
	if (f->flags & FIELD_IDLE)
		put(schema, "deprecated", json_true());
	if (f->flags & FIELD_RESTART)
		put(schema, "restart", json_true());
	return schema;
}

json_t *field_describe(const struct field_table *t)
{
	json_t *schema = json_object(), *properties = json_object();
	json_t *groups = json_object(), *required = json_array();
	bool strict = t->flags & FIELD_STRICT;

	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];
		bool is_group = f->flags & FIELD_GROUP;
		size_t len = strcspn(f->key, ".");
		json_t *key = json_string(f->key);

		/* a key of a group ("header.") ends with a dot, which is
		 * escaped in the pattern */
		if (is_group) {
			json_decref(key);
			key = json_sprintf("^%.*s%s", (int)len, f->key,
					   f->key[len] == '.' ? "\\." : "");
		}
		put(is_group ? groups : properties, json_string_value(key),
		    describe_field(f));
		json_decref(key);
		if (f->flags & FIELD_REQUIRED ||
		    (strict && !(f->flags & FIELD_MAYBE)))
			(void)json_array_append_new(required,
						    json_string(f->key));
	}
	put(schema, "type", json_string("object"));
	put(schema, "properties", properties);
	if (json_object_size(groups) > 0)
		put(schema, "patternProperties", json_incref(groups));
	if (json_array_size(required) > 0)
		put(schema, "required", json_incref(required));
	if (strict)
		put(schema, "additionalProperties", json_false());
	json_decref(groups);
	json_decref(required);
	return schema;
}
