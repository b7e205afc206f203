/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the parts of the engine of field.h share. */
#pragma once

#include "proto/spec/field.h"

struct field_limits {
	int64_t min, max;
};

/* The bounds of the row; if it has none, those of the type of its member. */
struct field_limits field_limits(const struct field *);

/* The number of choices of the row, without aliases. */
size_t field_choices(const struct field *);

/* Stores an integer, a flag or a choice into the struct s, which may be
 * NULL. */
void field_store(const struct field *, void *s, int64_t value);

/* Sets the member of the struct s to its default. */
void field_init_member(const struct field *, void *s);

/* The value of a member as JSON, a new reference; NULL: absent. */
json_t *field_format_member(const struct field *, const void *s,
			    unsigned skip);
