/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field_reader.h"

#include "proto/spec/field_limits.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_MAX_SHOWN = 160 };

bool field_is_done(const struct field_reader *r)
{
	return r->n_errors > 0 && !r->all;
}

static size_t print_place(const struct field_place *at, char *text, size_t size)
{
	size_t len = at->up != NULL ? print_place(at->up, text, size) : 0;
	int n;

	if (at->key != NULL)
		n = snprintf(text + len, size - len, "%s%s",
			     len > 0 ? "." : "", at->key);
	else
		n = snprintf(text + len, size - len, "[%zu]", at->index);
	return MIN(len + (size_t)MAX(n, 0), size - 1);
}

void field_fail(struct field_reader *r, const struct field_place *at,
		const char *format, ...)
{
	char path[PATH_MAX_SHOWN] = "", text[256];
	va_list args;

	r->n_errors++;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (at != NULL)
		(void)print_place(at, path, sizeof path);
	if (r->found != NULL)
		r->found(path, text, r->arg);
	if (r->n_errors == 1)
		errmsg_set(r->error, "%s%s%s", path, at != NULL ? ": " : "",
			   text);
}

static void read_object(struct field_reader *r, const struct field_place *at,
			const struct field_table *, const json_t *, void *s);

static void read_list(struct field_reader *r, const struct field_place *at,
		      const struct field *f, const json_t *list, void *s)
{
	size_t n = json_array_size(list);
	char *item = s != NULL && f->size > 0 ? (char *)s + f->offset : NULL;
	struct errmsg error;

	if (!json_is_array(list)) {
		field_fail(r, at, "is not a list");
		return;
	}
	if (f->max > 0 && n > (size_t)f->max) {
		field_fail(r, at, "has %zu items, more than %" PRId64, n,
			   f->max);
		return;
	}
	if (n < (size_t)f->min) {
		field_fail(r, at, "has %zu items, less than %" PRId64, n,
			   f->min);
		return;
	}
	for (size_t i = 0; i < n && !field_is_done(r); i++) {
		struct field_place inner = { .up = at, .index = i };
		const json_t *value = json_array_get(list, i);

		if (f->of != NULL)
			read_object(r, &inner, f->of, value, item);
		else if (f->item != NULL &&
			 field_read_scalar(f->item, value, item, &error) < 0)
			field_fail(r, &inner, "%s", error.text);
		item = item != NULL ? item + f->size : NULL;
	}
	if (item != NULL)
		memcpy((char *)s + f->count, &n, sizeof n);
}

void field_read_value(struct field_reader *r, const struct field_place *at,
		      const struct field *f, const json_t *value, void *s)
{
	bool empty = f->flags & FIELD_LIST_OK && json_is_array(value) &&
		     json_array_size(value) == 0;
	char *member = s != NULL && f->size > 0 ? (char *)s + f->offset : NULL;
	struct errmsg error;

	switch (f->type) {
	case FIELD_LIST:
		read_list(r, at, f, value, s);
		break;
	case FIELD_OBJECT:
		read_object(r, at, f->of, empty ? NULL : value, member);
		break;
	case FIELD_JSON:
		if (!json_is_object(value) && !empty)
			field_fail(r, at, "is not an object");
		else if (f->of != NULL)
			read_object(r, at, f->of, empty ? NULL : value, NULL);
		if (member != NULL)
			memcpy(member, &value, sizeof value);
		break;
	case FIELD_NONE:
		break;
	default:
		if (field_read_scalar(f, value, s, &error) < 0)
			field_fail(r, at, "%s", error.text);
	}
}

static bool is_absent(const json_t *value, bool loose)
{
	return value == NULL ||
	       (loose && (json_is_null(value) ||
			  (json_is_string(value) &&
			   json_string_length(value) == 0)));
}

static void read_member(struct field_reader *r, const struct field_place *at,
			const struct field *f, const json_t *value, bool loose,
			void *s)
{
	struct field_place inner = { .up = at, .key = f->key };
	struct errmsg error;

	if (!loose || f->type >= FIELD_JSON)
		field_read_value(r, &inner, f, value, s);
	else if (field_read_loose(f, value, s, &error) < 0)
		field_fail(r, &inner, "%s", error.text);
}

/* --- objects --- */

struct field_object field_object_begin(const struct field_reader *r,
				       const struct field_table *t, void *s)
{
	assert(t->n <= FIELD_ROWS_MAX);
	return (struct field_object){
		.table = t,
		.s = s,
		.n_before = r->n_errors,
	};
}

const struct field *field_object_row(struct field_object *o, const char *key)
{
	const struct field_table *t = o->table;

	for (size_t n = t->n, i = o->cursor; n > 0; n--, i++) {
		i = i < t->n ? i : 0;
		if (strcmp(t->rows[i].key, key) == 0) {
			o->cursor = i + 1;
			return &t->rows[i];
		}
	}
	return NULL;
}

static bool is_seen(const struct field_object *o, size_t row)
{
	return o->seen[row / 64] >> (row % 64) & 1;
}

bool field_object_mark(struct field_object *o, const struct field *f)
{
	size_t row = (size_t)(f - o->table->rows);
	bool seen = is_seen(o, row);

	o->seen[row / 64] |= UINT64_C(1) << row % 64;
	return !seen;
}

/* Reports the required rows without a value.  In a FIELD_STRICT table the
 * members of the other rows without a value get their defaults. */
static void read_absent(struct field_reader *r, const struct field_place *at,
			const struct field_object *o)
{
	bool strict = o->table->flags & FIELD_STRICT;

	for (size_t i = 0; i < o->table->n && !field_is_done(r); i++) {
		const struct field *f = &o->table->rows[i];
		struct field_place inner = { .up = at, .key = f->key };

		if (is_seen(o, i))
			continue;
		if (f->flags & FIELD_REQUIRED ||
		    (strict && !(f->flags & FIELD_MAYBE)))
			field_fail(r, &inner, "is missing");
		else if (strict && o->s != NULL && f->size > 0)
			field_init_member(f, o->s);
	}
}

void field_object_end(struct field_reader *r, const struct field_place *at,
		      const struct field_object *o)
{
	struct errmsg error;
	char key[32];
	struct field_place inner = { .up = at, .key = key };
	size_t len;

	read_absent(r, at, o);
	if (o->s == NULL || o->table->judge == NULL ||
	    r->n_errors != o->n_before || o->table->judge(o->s, &error) >= 0)
		return;
	/* the sentence of judge() begins with a key: "port: is odd" */
	len = strcspn(error.text, ":");
	(void)snprintf(key, sizeof key, "%.*s", (int)len, error.text);
	field_fail(r, &inner, "%s",
		   error.text + len + strspn(error.text + len, ": "));
}

static void read_object(struct field_reader *r, const struct field_place *at,
			const struct field_table *t, const json_t *object,
			void *s)
{
	bool strict = t->flags & FIELD_STRICT, loose = t->flags & FIELD_LOOSE;
	struct field_object o = field_object_begin(r, t, s);
	const char *key;
	const json_t *value;

	/* object NULL counts as an object without keys */
	if (object != NULL && !json_is_object(object)) {
		field_fail(r, at, "is not an object");
		return;
	}
	if (s != NULL && !strict)
		field_init(t, s);
	json_object_foreach((json_t *)object, key, value) {
		const struct field *f = field_object_row(&o, key);
		struct field_place inner = { .up = at, .key = key };

		if (f == NULL && strict)
			field_fail(r, &inner, "is not known");
		if (f != NULL && !is_absent(value, loose)) {
			(void)field_object_mark(&o, f);
			read_member(r, at, f, value, loose, s);
		}
		if (field_is_done(r))
			return;
	}
	field_object_end(r, at, &o);
}

int field_read(const struct field_table *t, const json_t *object, void *ret,
	       struct errmsg *error)
{
	struct field_reader r = { .all = t->flags & FIELD_LOOSE,
				  .error = error };

	read_object(&r, NULL, t, object, ret);
	return r.n_errors > 0 ? -EINVAL : 0;
}

unsigned field_check(const struct field_table *t, const json_t *object,
		     void *s, field_found_fn *found, void *arg)
{
	struct field_reader r = { .all = true, .found = found, .arg = arg };

	read_object(&r, NULL, t, object, s);
	return r.n_errors;
}
