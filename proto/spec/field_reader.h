/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of JSON trees (field_read.c) and of JSON text
 * (field_parse.c) share. */
#pragma once

#include "proto/spec/field.h"

enum { FIELD_ROWS_MAX = 128 /* rows in a table */ };

/* The place of a value in the document, for the path in an error such as
 * "inputs[2].port"; on the stack of the reader. */
struct field_place {
	const struct field_place *up; /* of the object or list around it */
	const char *key; /* NULL: the item `index' of a list */
	size_t index;
};

struct field_reader {
	bool all;              /* an error does not end the reading */
	struct errmsg *error;  /* the first error */
	field_found_fn *found; /* called for every error; may be NULL */
	void *arg;
	unsigned n_errors;
};

/* An object that is being read into the struct s, which may be NULL. */
struct field_object {
	const struct field_table *table;
	void *s;
	unsigned n_before; /* n_errors of the reader when the object began */
	size_t cursor;     /* row behind the one that was found last */
	uint64_t seen[FIELD_ROWS_MAX / 64]; /* a bit for each row: a value was
					     * read */
};

bool field_is_done(const struct field_reader *);

/* Records an error of the value at this place; at NULL: of the object
 * itself. */
void field_fail(struct field_reader *, const struct field_place *at,
		const char *format, ...) PRINTF_LIKE(3, 4);

struct field_object field_object_begin(const struct field_reader *,
				       const struct field_table *, void *s);
/* The row of key, or NULL if the table has none.  The search begins behind the
 * row found last, because most objects have their keys in the order of the
 * table. */
const struct field *field_object_row(struct field_object *, const char *key);
/* Notes that the row has a value; false: it had a value before, so the key is
 * repeated. */
bool field_object_mark(struct field_object *, const struct field *row);
/* Ends the object: reports missing keys, and calls judge() of the table. */
void field_object_end(struct field_reader *, const struct field_place *,
		      const struct field_object *);

/* Reads a value from a tree into its member of the struct s, which may be
 * NULL. */
void field_read_value(struct field_reader *, const struct field_place *,
		      const struct field *, const json_t *value, void *s);

/* --- single values: 0, or -EINVAL with a sentence that lacks the key --- */

int field_take_bool(const struct field *, bool on, void *s);
int field_take_integer(const struct field *, int64_t n, void *s,
		       struct errmsg *error) MUST_CHECK;
/* Writes the error "is not a whole number" with the bounds of the row; returns
 * -EINVAL. */
int field_fail_integer(const struct field *, struct errmsg *error);
/* Takes a string value: a text or a choice.  text NULL: the JSON value is no
 * string, which is an error. */
int field_take_string(const struct field *, const char *text, void *s,
		      struct errmsg *error) MUST_CHECK;
int field_read_scalar(const struct field *, const json_t *value, void *s,
		      struct errmsg *error) MUST_CHECK;
/* Reads a value as user interfaces store it: a number or boolean may be text, a
 * text (not a FIELD_STRING) may be an integer or boolean, and with FIELD_COMMAS
 * a text may be a list. */
int field_read_loose(const struct field *, const json_t *value, void *s,
		     struct errmsg *error) MUST_CHECK;
