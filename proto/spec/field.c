/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field.h"

#include "common/base/alloc.h"
#include "common/base/typo.h"
#include "proto/spec/field_limits.h"
#include "proto/wire/json_writer.h"

#include <stdlib.h>
#include <string.h>

/* --- the members of a struct --- */

struct field_limits field_limits(const struct field *f)
{
	struct field_limits l = { .min = f->min, .max = f->max };
	bool is_signed = f->type == FIELD_INT;

	if (is_signed && f->min == 0 && f->max == 0)
		l.min = f->size == 4 ? INT32_MIN : INT64_MIN;
	if (f->max != 0 || f->min < 0)
		return l;
	if (f->type == FIELD_TEXT && f->size > 0)
		l.max = (int64_t)f->size - 1;
	else if (f->type > FIELD_INT || f->size == 0 || f->size > 4)
		l.max = INT64_MAX;
	else
		l.max = (INT64_C(1) << (8 * f->size - is_signed)) - 1;
	return l;
}

size_t field_choices(const struct field *f)
{
	size_t n = 0;

	while (f->choices[n] != NULL && (f->max == 0 || n < (size_t)f->max))
		n++;
	return n;
}

void field_store(const struct field *f, void *s, int64_t value)
{
	if (s == NULL || f->size == 0)
		return;

	char *member = (char *)s + f->offset;

	if (f->type == FIELD_BOOL)
		*(bool *)member = value != 0;
	else if (f->size == 1)
		*(uint8_t *)member = (uint8_t)value;
	else if (f->size == 2)
		memcpy(member, &(uint16_t){ (uint16_t)value }, 2);
	else if (f->size == 4)
		memcpy(member, &(uint32_t){ (uint32_t)value }, 4);
	else
		memcpy(member, &value, 8);
}

/* Returns the value of a member that is an integer or a choice; a negative one
 * in two's complement. */
static uint64_t load(const struct field *f, const void *s)
{
	const char *member = (const char *)s + f->offset;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (f->size) {
	case 1:
		return *(const uint8_t *)member;
	case 2:
		memcpy(&two, member, 2);
		return two;
	case 4:
		memcpy(&four, member, 4);
		return f->type == FIELD_INT ? (uint64_t)(int32_t)four : four;
	default:
		memcpy(&eight, member, 8);
		return eight;
	}
}

void field_init_member(const struct field *f, void *s)
{
	char *member = (char *)s + f->offset;
	double real = (double)f->initial;

	switch (f->type) {
	case FIELD_BOOL:
	case FIELD_UINT:
	case FIELD_INT:
		field_store(f, s, f->initial);
		break;
	case FIELD_REAL:
		memcpy(member, &real, sizeof real);
		break;
	case FIELD_STRING:
	case FIELD_JSON:
		memcpy(member, &f->initial_text, f->size);
		break;
	case FIELD_TEXT:
		memset(member, 0, f->size);
		if (f->initial_text != NULL)
			memcpy(member, f->initial_text,
			       MIN(strlen(f->initial_text), f->size - 1));
		break;
	case FIELD_OBJECT:
		field_init(f->of, member);
		break;
	case FIELD_LIST:
		memset((char *)s + f->count, 0, sizeof(size_t));
		break;
	case FIELD_CUSTOM:
		memset(member, 0, f->size);
		break;
	case FIELD_NONE:
		break;
	}
}

void field_init(const struct field_table *t, void *s)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].size > 0 && !(t->rows[i].flags & FIELD_ALIAS))
			field_init_member(&t->rows[i], s);
}

void field_clear(const struct field_table *t, void *s)
{
	size_t at = 0;

	while (at < t->size) {
		size_t begin = t->size, end = t->size;

		/* finds the first list from `at' on */
		for (size_t i = 0; i < t->n; i++) {
			const struct field *f = &t->rows[i];

			if (f->type != FIELD_LIST || f->size == 0 ||
			    f->offset < at || f->offset >= begin)
				continue;
			begin = f->offset;
			end = begin + f->size * (size_t)f->max;
		}
		memset((char *)s + at, 0, begin - at);
		at = end;
	}
}

/* keep: replaces the strings and JSON values that the members borrow by copies
 * and references that s owns.  Not keep: frees them. */
static void own_members(const struct field_table *t, void *s, bool keep)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];
		char *member = (char *)s + f->offset;
		char *text;
		json_t *json;
		size_t n;

		if (f->size == 0 || f->flags & FIELD_ALIAS)
			continue;
		switch (f->type) {
		case FIELD_STRING:
			memcpy(&text, member, sizeof text);
			if (!keep)
				free(text);
			text = keep ? xstrdup(text) : NULL;
			memcpy(member, &text, sizeof text);
			break;
		case FIELD_JSON:
			memcpy(&json, member, sizeof json);
			if (keep)
				(void)json_incref(json);
			else
				json_decref(json);
			json = keep ? json : NULL;
			memcpy(member, &json, sizeof json);
			break;
		case FIELD_OBJECT:
			own_members(f->of, member, keep);
			break;
		case FIELD_LIST:
			memcpy(&n, (char *)s + f->count, sizeof n);
			for (size_t k = 0; k < n && f->of != NULL; k++)
				own_members(f->of, member + k * f->size, keep);
			if (!keep)
				memset((char *)s + f->count, 0, sizeof n);
			break;
		default:
			break;
		}
	}
}

void field_keep(const struct field_table *t, void *s)
{
	own_members(t, s, true);
}

void field_drop(const struct field_table *t, void *s)
{
	own_members(t, s, false);
}

static void assign_text(char *member, const char *from)
{
	const char *text;
	char *old;

	memcpy(&text, from, sizeof text);
	memcpy(&old, member, sizeof old);
	if (old != NULL && text != NULL && strcmp(old, text) == 0)
		return;
	free(old);
	old = xstrdup(text);
	memcpy(member, &old, sizeof old);
}

static void assign_tree(char *member, const char *from)
{
	json_t *old, *json;

	memcpy(&old, member, sizeof old);
	memcpy(&json, from, sizeof json);
	(void)json_incref(json);
	json_decref(old);
	memcpy(member, &json, sizeof json);
}

static void assign_items(const struct field *f, char *s, const char *from)
{
	char *items = s + f->offset;
	size_t had, n;

	memcpy(&had, s + f->count, sizeof had);
	memcpy(&n, from + f->count, sizeof n);
	memcpy(s + f->count, &n, sizeof n);
	from += f->offset;
	if (f->of == NULL)
		memcpy(items, from, n * f->size);
	for (size_t i = 0; i < n && f->of != NULL; i++) {
		if (i >= had)
			field_clear(f->of, items + i * f->size);
		field_assign(f->of, items + i * f->size, from + i * f->size);
	}
	for (size_t i = n; i < had && f->of != NULL; i++)
		field_drop(f->of, items + i * f->size);
}

void field_assign(const struct field_table *t, void *s, const void *from)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];
		char *member = (char *)s + f->offset;
		const char *theirs = (const char *)from + f->offset;

		if (f->size == 0 || f->flags & FIELD_ALIAS)
			continue;
		switch (f->type) {
		case FIELD_STRING:
			assign_text(member, theirs);
			break;
		case FIELD_JSON:
			assign_tree(member, theirs);
			break;
		case FIELD_OBJECT:
			field_assign(f->of, member, theirs);
			break;
		case FIELD_LIST:
			assign_items(f, s, from);
			break;
		default:
			memcpy(member, theirs, f->size);
			break;
		}
	}
}

/* --- keys --- */

const struct field *field_find(const struct field_table *t, const char *key)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->rows[i];

		if (f->flags & FIELD_GROUP
			    ? strncmp(f->key, key, strlen(f->key)) == 0
			    : strcmp(f->key, key) == 0)
			return f;
	}
	return NULL;
}

const char *field_nearest(const struct field_table *const *tables, size_t n,
			  const char *key)
{
	struct typo typo = { .word = key };

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < tables[i]->n; k++)
			typo_compare(&typo, tables[i]->rows[k].key);
	return typo.nearest;
}

void field_find_unknown(const struct field_table *const *tables, size_t n,
			const json_t *object, field_unknown_fn *unknown,
			void *arg)
{
	const char *key;
	const json_t *value;

	json_object_foreach((json_t *)object, key, value) {
		bool known = key[0] == '_';

		for (size_t i = 0; i < n && !known; i++)
			known = field_find(tables[i], key) != NULL;
		if (!known)
			unknown(key, field_nearest(tables, n, key), arg);
	}
}

/* --- writing --- */

static void write_member(const struct field *f, const void *s, unsigned skip,
			 struct json_writer *w);

static void write_items(const struct field *f, const void *s, unsigned skip,
			struct json_writer *w)
{
	const char *item = (const char *)s + f->offset;
	size_t n;

	memcpy(&n, (const char *)s + f->count, sizeof n);
	write_list(w, f->key);
	for (size_t i = 0; i < n; i++, item += f->size) {
		if (f->of == NULL) {
			write_member(f->item, item, skip, w);
			continue;
		}
		write_object(w, NULL);
		field_write(f->of, item, skip, w);
		write_object_end(w);
	}
	write_list_end(w);
}

static void write_member(const struct field *f, const void *s, unsigned skip,
			 struct json_writer *w)
{
	const char *member = (const char *)s + f->offset;
	const char *pointer;
	json_t *value;

	switch (f->type) {
	case FIELD_BOOL:
		write_bool(w, f->key, *(const bool *)(const void *)member !=
						!!(f->flags & FIELD_NEGATED));
		break;
	case FIELD_UINT:
		if (f->choices != NULL)
			write_string(w, f->key, f->choices[load(f, s)]);
		else
			write_u64(w, f->key, load(f, s));
		break;
	case FIELD_INT:
		write_i64(w, f->key, (int64_t)load(f, s));
		break;
	case FIELD_STRING:
	case FIELD_JSON:
		memcpy(&pointer, member, sizeof pointer);
		if (f->type == FIELD_STRING)
			write_string(w, f->key, pointer);
		else
			write_json(w, f->key, (const void *)pointer);
		break;
	case FIELD_TEXT:
		write_string(w, f->key, *member != '\0' ? member : NULL);
		break;
	case FIELD_OBJECT:
		write_object(w, f->key);
		field_write(f->of, member, skip, w);
		write_object_end(w);
		break;
	case FIELD_LIST:
		write_items(f, s, skip, w);
		break;
	case FIELD_REAL:
	case FIELD_CUSTOM:
		value = field_format_member(f, s, skip);
		write_json(w, f->key, value);
		json_decref(value);
		break;
	case FIELD_NONE:
		break;
	}
}

static bool is_written(const struct field *f, unsigned skip)
{
	return (f->size > 0 || f->type == FIELD_CUSTOM) &&
	       !(f->flags & (skip | FIELD_ALIAS));
}

void field_write(const struct field_table *t, const void *s, unsigned skip,
		 struct json_writer *w)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_written(&t->rows[i], skip))
			write_member(&t->rows[i], s, skip, w);
}

static json_t *format_items(const struct field *f, const void *s,
			    unsigned skip)
{
	const char *item = (const char *)s + f->offset;
	json_t *list = json_array();
	size_t n;

	memcpy(&n, (const char *)s + f->count, sizeof n);
	for (size_t i = 0; i < n; i++, item += f->size)
		(void)json_array_append_new(
			list, f->of != NULL
				      ? field_format(f->of, item, skip)
				      : field_format_member(f->item, item,
							    skip));
	return list;
}

json_t *field_format_member(const struct field *f, const void *s,
			    unsigned skip)
{
	const char *member = (const char *)s + f->offset;
	const char *text;
	json_t *json;
	double real;

	switch (f->type) {
	case FIELD_BOOL:
		return json_boolean(*(const bool *)(const void *)member !=
				    !!(f->flags & FIELD_NEGATED));
	case FIELD_UINT:
		if (f->choices != NULL)
			return json_string(f->choices[load(f, s)]);
		return json_integer((json_int_t)MIN(load(f, s),
						    (uint64_t)INT64_MAX));
	case FIELD_INT:
		return json_integer((json_int_t)load(f, s));
	case FIELD_REAL:
		memcpy(&real, member, sizeof real);
		return json_real(real);
	case FIELD_STRING:
		memcpy(&text, member, sizeof text);
		return text != NULL ? json_string(text) : NULL;
	case FIELD_TEXT:
		return *member != '\0' ? json_string(member) : NULL;
	case FIELD_JSON:
		memcpy(&json, member, sizeof json);
		return json_incref(json);
	case FIELD_OBJECT:
		return field_format(f->of, member, skip);
	case FIELD_LIST:
		return format_items(f, s, skip);
	case FIELD_CUSTOM:
		return f->hook->format != NULL ? f->hook->format(f, s) : NULL;
	case FIELD_NONE:
		break;
	}
	return NULL;
}

json_t *field_format(const struct field_table *t, const void *s,
		     unsigned skip)
{
	json_t *object = json_object();

	for (size_t i = 0; i < t->n; i++) {
		json_t *value = is_written(&t->rows[i], skip)
					? field_format_member(&t->rows[i], s,
							      skip)
					: NULL;

		if (value != NULL)
			(void)json_object_set_new_nocheck(object,
							  t->rows[i].key,
							  value);
	}
	return object;
}
