/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field_parse.h"

#include "proto/spec/field_limits.h"
#include "proto/spec/field_reader.h"
#include "proto/wire/json_reader.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct parser {
	struct field_reader r;
	struct json_reader *text;
	json_t **trees;
};

static void parse_object(struct parser *p, const struct field_place *at,
			 const struct field_table *t, void *s);

/* Reads a value from a JSON tree that is built for it.  This is for types that
 * are rare in messages, and for members that are JSON. */
static void parse_tree(struct parser *p, const struct field_place *at,
		       const struct field *f, void *s)
{
	json_t *tree = json_read_tree(p->text);

	if (tree == NULL)
		return;
	if (*p->trees == NULL)
		*p->trees = json_array();
	(void)json_array_append_new(*p->trees, tree);
	field_read_value(&p->r, at, f, tree, s);
}

static int take_scalar(const struct field *f, const struct json_value *v,
		       void *s, struct errmsg *error)
{
	bool is_number = f->type == FIELD_UINT || f->type == FIELD_INT;

	if (f->type == FIELD_BOOL && v->kind != JSON_KIND_BOOL)
		return errmsg_fail(error, -EINVAL, "is not true or false");
	if (f->type == FIELD_BOOL)
		return field_take_bool(f, v->is_true, s);
	if (!is_number || f->choices != NULL)
		return field_take_string(f, v->text, s, error);
	if (v->kind != JSON_KIND_INTEGER)
		return field_fail_integer(f, error);
	return field_take_integer(f, v->integer, s, error);
}

static void parse_scalar(struct parser *p, const struct field_place *at,
			 const struct field *f, void *s)
{
	struct json_value v = json_read(p->text);
	struct errmsg error;

	if (p->text->error == NULL && take_scalar(f, &v, s, &error) < 0)
		field_fail(&p->r, at, "%s", error.text);
}

static bool is_done(const struct parser *p)
{
	return p->text->error != NULL || field_is_done(&p->r);
}

static void parse_list(struct parser *p, const struct field_place *at,
		       const struct field *f, void *s)
{
	char *item = (char *)s + f->offset;
	size_t n = 0;

	if (json_read(p->text).kind != JSON_KIND_LIST) {
		field_fail(&p->r, at, "is not a list");
		return;
	}
	for (; !is_done(p) && json_read_item(p->text); n++, item += f->size) {
		struct field_place inner = { .up = at, .index = n };

		if (n == (size_t)f->max)
			field_fail(&p->r, at, "has more than %" PRId64
				   " items", f->max);
		else if (f->of != NULL)
			parse_object(p, &inner, f->of, item);
		else
			parse_scalar(p, &inner, f->item, item);
	}
	if (n < (size_t)f->min && !is_done(p))
		field_fail(&p->r, at, "has %zu items, less than %" PRId64, n,
			   f->min);
	memcpy((char *)s + f->count, &n, sizeof n);
}

static bool is_strict(const struct field_table *t)
{
	return t != NULL && t->flags & FIELD_STRICT;
}

static bool is_scalar(const struct field *f)
{
	return f->type <= FIELD_INT || f->type == FIELD_STRING ||
	       f->type == FIELD_TEXT;
}

static void parse_value(struct parser *p, const struct field_place *at,
			const struct field *f, void *s)
{
	bool stored = f->size > 0;

	if (f->type == FIELD_LIST && stored && f->max > 0 &&
	    (is_strict(f->of) || (f->item != NULL && is_scalar(f->item))))
		parse_list(p, at, f, s);
	else if (f->type == FIELD_OBJECT && stored && is_strict(f->of))
		parse_object(p, at, f->of, (char *)s + f->offset);
	else if (f->type != FIELD_NONE && is_scalar(f))
		parse_scalar(p, at, f, s);
	else
		parse_tree(p, at, f, s);
}

static void parse_object(struct parser *p, const struct field_place *at,
			 const struct field_table *t, void *s)
{
	struct field_object o = field_object_begin(&p->r, t, s);
	const char *key;

	if (json_read(p->text).kind != JSON_KIND_OBJECT) {
		field_fail(&p->r, at, "is not an object");
		return;
	}
	field_clear(t, s);
	while ((key = json_read_key(p->text)) != NULL) {
		const struct field *f = field_object_row(&o, key);
		struct field_place inner = { .up = at, .key = key };

		if (f == NULL)
			field_fail(&p->r, &inner, "is not known");
		else if (!field_object_mark(&o, f))
			field_fail(&p->r, &inner, "occurs twice");
		else
			parse_value(p, &inner, f, s);
		if (is_done(p))
			return;
	}
	if (!is_done(p))
		field_object_end(&p->r, at, &o);
}

int field_parse(const struct field_table *t, struct json_reader *text,
		json_t **trees, void *ret, struct errmsg *error)
{
	struct parser p = { .r = { .error = error }, .text = text,
			    .trees = trees };

	assert(is_strict(t));
	parse_object(&p, NULL, t, ret);
	if (text->error != NULL)
		return errmsg_fail(error, -EINVAL, "is not JSON: %s",
				   text->error);
	return p.r.n_errors > 0 ? -EINVAL : 0;
}
