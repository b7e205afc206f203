/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field.h"

#include "proto/spec/field_limits.h"

#include <string.h>

static void put(json_t *object, const char *key, json_t *take_value)
{
	(void)json_object_set_new(object, key, take_value);
}

static void put_text(json_t *object, const char *key, const char *text)
{
	if (text != NULL)
		put(object, key, json_string(text));
}

/* The type of a field in forms, from the JSON schema that its hook names. */
static const char *type_of_hook(const struct field *f)
{
	const char *schema = f->hook->schema;

	if (schema == NULL)
		return "any";
	return strcmp(schema, "string") == 0 ? "text" : schema;
}

static const char *type_of(const struct field *f)
{
	switch (f->type) {
	case FIELD_BOOL:
		return "boolean";
	case FIELD_UINT:
	case FIELD_INT:
		return f->choices != NULL ? "text" : "integer";
	case FIELD_REAL:
		return "number";
	case FIELD_STRING:
	case FIELD_TEXT:
		return "text";
	case FIELD_JSON:
	case FIELD_OBJECT:
		return "object";
	case FIELD_LIST:
		return "list";
	case FIELD_CUSTOM:
		return f->form != NULL ? f->form : type_of_hook(f);
	case FIELD_NONE:
		break;
	}
	return f->form != NULL ? f->form : "any";
}

/* Writes the bounds of a number, of the bytes of a text, or of the items of a
 * list.  Leaves out INT32_MIN and INT64_MAX, which are limits of integer types
 * only. */
static void put_bounds(json_t *form, const struct field *f)
{
	struct field_limits l = { f->min, f->max };
	bool is_number = f->type == FIELD_UINT || f->type == FIELD_INT ||
			 f->type == FIELD_REAL;

	if (f->choices != NULL || f->type == FIELD_BOOL)
		return;
	if (f->type != FIELD_NONE && f->type != FIELD_CUSTOM)
		l = field_limits(f);
	if (l.min > INT32_MIN && (is_number || l.min != 0))
		put(form, "min", json_integer(l.min));
	if (l.max > 0 && l.max < INT64_MAX)
		put(form, "max", json_integer(l.max));
}

static void put_default(json_t *form, const struct field *f)
{
	struct field_limits l = { 0 };

	if (f->flags & FIELD_REQUIRED)
		return;
	put_text(form, "default", f->initial_text);
	if (f->type == FIELD_BOOL)
		put(form, "default",
		    json_boolean((f->initial != 0) !=
				 !!(f->flags & FIELD_NEGATED)));
	if (f->type != FIELD_UINT && f->type != FIELD_INT &&
	    f->type != FIELD_REAL)
		return;
	l = field_limits(f);
	if (f->choices != NULL)
		put(form, "default", json_string(f->choices[f->initial]));
	else if (f->initial >= l.min && f->initial <= l.max)
		put(form, "default", json_integer(f->initial));
}

static void put_flags(json_t *form, const struct field *f)
{
	static const struct {
		unsigned flag;
		const char *key;
	} flags[] = {
		{ FIELD_REQUIRED, "required" },
		{ FIELD_SECRET, "secret" },
		{ FIELD_OBSERVER, "observer" },
		{ FIELD_ADDRESS, "address" },
		{ FIELD_RESTART, "restart" },
		{ FIELD_IDLE, "idle" },
		{ FIELD_GROUP, "prefix" },
		{ FIELD_EVERY, "repeats" },
		{ FIELD_COMMAS, "commas" },
	};

	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (f->flags & flags[i].flag)
			put(form, flags[i].key, json_true());
}

/* Writes the keys that the field needs, each key once: "nit / bat". */
static void put_needs(json_t *form, const struct field *f)
{
	const struct field_need *other = f->needs_or;
	const char *last = f->needs;
	struct errmsg text, before;

	if (f->needs == NULL || f->needs_in != 0)
		return;
	errmsg_set(&text, "%s", f->needs);
	for (; other != NULL && other->key != NULL; other++) {
		if (strcmp(other->key, last) == 0)
			continue;
		before = text;
		errmsg_set(&text, "%s / %s", before.text, other->key);
		last = other->key;
	}
	put_text(form, "needs", text.text);
}

static json_t *form_of(const struct field *f)
{
	size_t n = f->choices != NULL ? field_choices(f) : 0;
	json_t *form = json_object(), *words = json_array();

	put_text(form, "key", f->key);
	put_text(form, "type", type_of(f));
	if (f->of != NULL && f->of->n > 0)
		put(form, "fields", field_form(f->of));
	else if (f->of != NULL && f->type == FIELD_LIST)
		put_text(form, "item", "object");
	else if (f->item != NULL)
		put_text(form, "item", type_of(f->item));
	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(words, json_string(f->choices[i]));
	for (size_t i = 0; f->words != NULL && f->words[i] != NULL; i++)
		(void)json_array_append_new(words, json_string(f->words[i]));
	if (json_array_size(words) > 0)
		put(form, "choices", json_incref(words));
	json_decref(words);
	put_bounds(form, f);
	put_default(form, f);
	put_text(form, "unit", f->unit);
	put_needs(form, f);
	put_text(form, "beside", f->beside);
	put_text(form, "help", f->help);
	put_flags(form, f);
	return form;
}

json_t *field_form(const struct field_table *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->n; i++)
		(void)json_array_append_new(list, form_of(&t->rows[i]));
	return list;
}
