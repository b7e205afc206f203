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
	case WHERE_UNICAST:
		return "with an address that is no multicast group";
	case WHERE_FILE:
		return "with a file";
	default:
		return "with this type";
	}
}

bool field_is_idle(const struct field *f, unsigned where,
		   bool (*is_on)(const char *key, const char *word, void *arg),
		   void *arg, struct errmsg *ret)
{
	unsigned idle = f->idle_in & where;
	const char *word = f->needs_word;

	if (f->flags & FIELD_IDLE)
		errmsg_set(ret, "does nothing here");
	else if (idle != 0)
		errmsg_set(ret, "does nothing %s", where_text(idle & -idle));
	else if (f->needs != NULL && !is_on(f->needs, word, arg) &&
		 (f->needs_or == NULL || !is_on(f->needs_or, word, arg)))
		errmsg_set(ret, "does nothing without %s%s%s%s", f->needs,
			   word != NULL ? " \"" : "",
			   word != NULL ? word : "",
			   word != NULL ? "\"" : "");
	else if (f->beside != NULL && is_on(f->beside, NULL, arg))
		errmsg_set(ret, "does nothing beside %s", f->beside);
	else
		return false;
	return true;
}

/* null, false, 0, "" and empty lists ask for nothing. */
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

static bool is_on(const char *key, const char *word, void *object)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	if (word != NULL)
		return text != NULL && strcmp(text, word) == 0;
	return is_given(value);
}

/* The value is what the field would have without the key. */
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
	/* of booleans, false is a choice, too */
	bool given = is_given(value) || (f->type == FIELD_BOOL &&
					 value != NULL && !json_is_null(value));

	return given && !is_default(f, value);
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
