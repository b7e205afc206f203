/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field_idle.h"

#include <stdlib.h>
#include <string.h>

const char *where_text(unsigned where)
{
	switch (where) {
	case WHERE_SPTS:
		return "in a stream of type spts";
	case WHERE_RELAY:
		return "in an mpts of one input";
	case WHERE_MUX:
		return "in an mpts of several inputs";
	case WHERE_NO_PLAYLIST:
		return "with a path that is no playlist (.m3u8)";
	case WHERE_PLAYLIST:
		return "with the path of a playlist (.m3u8)";
	case WHERE_UNICAST:
		return "with an address that is no multicast group";
	case WHERE_FILE:
		return "with a file";
	case WHERE_SINGLE:
		return "with one input";
	case WHERE_OPEN:
		return "without auth.enable";
	default:
		return "with this type";
	}
}

/* The first need of the list that the object meets, or NULL. */
static const struct field_need *find_on(const struct field_need *list,
					field_on_fn *is_on, void *arg)
{
	for (; list != NULL && list->key != NULL; list++)
		if (is_on(list, arg))
			return list;
	return NULL;
}

static bool is_met(const struct field *f, unsigned where, field_on_fn *is_on,
		   void *arg)
{
	const struct field_need first = { f->needs, f->needs_word, NULL };

	return f->needs == NULL ||
	       (f->needs_in != 0 && (f->needs_in & where) == 0) ||
	       is_on(&first, arg) || find_on(f->needs_or, is_on, arg) != NULL;
}

static void name_need(const struct field_need *need, struct errmsg *ret)
{
	const struct errmsg before = *ret;
	bool has_word = need->word != NULL;

	errmsg_set(ret, "%s%s%s%s%s%s%s%s", before.text,
		   before.text[0] != '\0' ? " or " : "", need->key,
		   need->member != NULL ? "[]." : "",
		   need->member != NULL ? need->member : "",
		   has_word ? " \"" : "", has_word ? need->word : "",
		   has_word ? "\"" : "");
}

/* Writes why the row has no effect: "does nothing with one input without
 * filler". */
static void explain_needs(const struct field *f, unsigned where,
			  struct errmsg *ret)
{
	const struct field_need first = { f->needs, f->needs_word, NULL };
	const struct field_need *other = f->needs_or;
	unsigned in = f->needs_in & where;
	struct errmsg needs;

	/* the keys and values, such as nit "own" or sdt[].eit "own" */
	needs.text[0] = '\0';
	name_need(&first, &needs);
	for (; other != NULL && other->key != NULL; other++)
		name_need(other, &needs);
	errmsg_set(ret, "%s%s%s without %s",
		   f->idle_text != NULL ? f->idle_text : "does nothing",
		   in != 0 ? " " : "", in != 0 ? where_text(in & -in) : "",
		   needs.text);
}

bool field_is_idle(const struct field *f, unsigned where, field_on_fn *is_on,
		   void *arg, struct errmsg *ret)
{
	const struct field_need beside[] = { { .key = f->beside }, { 0 } };
	const struct field_need *other = find_on(beside, is_on, arg);
	unsigned idle = f->idle_in & where;
	struct errmsg name = { 0 };

	if (other == NULL)
		other = find_on(f->beside_or, is_on, arg);
	if (f->flags & FIELD_IDLE)
		errmsg_set(ret, "does nothing here");
	else if (idle != 0)
		errmsg_set(ret, "does nothing %s", where_text(idle & -idle));
	else if (other != NULL) {
		name_need(other, &name);
		errmsg_set(ret, "does nothing beside %s", name.text);
	} else if (is_met(f, where, is_on, arg))
		return false;
	else
		explain_needs(f, where, ret);
	return true;
}

/* False for null, false, 0, "", the texts "0" and "false", and empty lists and
 * objects. */
static bool is_given(const json_t *value)
{
	const char *text = json_string_value(value);

	if (json_is_array(value))
		return json_array_size(value) > 0;
	if (json_is_object(value))
		return json_object_size(value) > 0;
	if (json_is_number(value))
		return json_number_value(value) != 0;
	if (text != NULL)
		return text[0] != '\0' && strcmp(text, "0") != 0 &&
		       strcmp(text, "false") != 0;
	return json_is_true(value);
}

static bool has_word(const json_t *value, const char *word)
{
	const char *text = json_string_value(value);

	if (word != NULL)
		return text != NULL && strcmp(text, word) == 0;
	return is_given(value);
}

static bool is_on(const struct field_need *need, void *object)
{
	const json_t *value = json_object_get(object, need->key), *item;
	size_t i;

	if (need->member == NULL)
		return has_word(value, need->word);
	json_array_foreach((json_t *)(uintptr_t)value, i, item)
		if (has_word(json_object_get(item, need->member), need->word))
			return true;
	return false;
}

/* Is the value the default of the field? */
static bool is_default(const struct field *f, const json_t *value)
{
	const char *text = json_string_value(value);
	char *end;

	if (f->choices != NULL)
		return text != NULL && f->initial >= 0 &&
		       strcmp(text, f->choices[f->initial]) == 0;
	if (json_is_boolean(value))
		return json_is_true(value) == (f->initial != 0);
	if (text == NULL)
		return json_is_number(value) &&
		       json_number_value(value) == (double)f->initial;
	return strtoll(text, &end, 10) == f->initial && *end == '\0' &&
	       end != text;
}

bool field_is_asked(const struct field *f, const json_t *object)
{
	const json_t *value = json_object_get(object, f->key);
	/* false counts as given for a boolean, whose default may be true */
	bool given = is_given(value) || (f->type == FIELD_BOOL &&
					 value != NULL && !json_is_null(value));

	return given && !is_default(f, value);
}

bool field_does_nothing(const struct field *f, const json_t *object,
			unsigned where)
{
	struct errmsg text;

	return field_is_idle(f, where, is_on, (void *)(uintptr_t)object, &text);
}

void field_find_idle(const struct field_table *t, const json_t *object,
		     unsigned where, field_found_fn *found, void *arg)
{
	struct errmsg text;

	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];
		bool is_shared = f->flags & FIELD_SHARED &&
				 where & WHERE_SHARED;

		if (field_is_asked(f, object) && !is_shared &&
		    field_is_idle(f, where, is_on,
				  (void *)(uintptr_t)object, &text))
			found(f->key, text.text, arg);
	}
}
