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
	const json_t *list;     /* the present `categories`; NULL: absent */
	const json_t *category; /* the new category; not a removal */
	const json_t *reorder;  /* member of the request; NULL: absent */
	size_t place;           /* position in list; its length: a new entry */
};

/* The category to be stored, a new reference; NULL with the sentence of the
 * specification.  detail: the place, its value and what is accepted, where the
 * sentence does not name them; else "". */
json_t *category_make(const struct category_request *, struct errmsg *error,
		      struct errmsg *detail);

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

/* Changes the names in a value: a name, a list of names, or an object with
 * names as keys.  Returns as category_change_stream().  *ret_gone: the value
 * was the name of the removed category. */
json_t *category_change_value(const struct category_change *,
			      const json_t *value, bool *ret_gone);
