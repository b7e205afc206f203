/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the category of set-category, and changes its name where streams,
 * users and settings use it.  Pure. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

/* A request before it was judged. */
struct category_request {
	const json_t *list;     /* `categories` of today, or NULL */
	const json_t *category; /* wanted; not a removal */
	const json_t *reorder;  /* or NULL */
	size_t place;           /* in the list, or its length */
};

/* The category to be stored, a new reference; NULL with the sentence of the
 * specification. */
json_t *category_make(const struct category_request *, struct errmsg *error);

/* The names that a request changes.  to: NULL when the category is removed.
 * groups: old names of groups with the new ones; null: the group is removed. */
struct category_change {
	const char *from;
	const char *to;
	json_t *groups; /* owned by the caller; NULL when the category is
			 * removed */
};

/* A group of old is renamed to the group at the same place in wanted. */
void category_change_init(struct category_change *, const json_t *old,
			  const json_t *wanted);

/* The stream with the new names, a new reference, or NULL when nothing
 * changes. */
json_t *category_change_stream(const struct category_change *,
			       const json_t *stream);

/* The same for a value in which categories are named: a name, a list, or an
 * object with names as keys.  *ret_gone: it was the name of a category that is
 * removed. */
json_t *category_change_value(const struct category_change *,
			      const json_t *value, bool *ret_gone);
