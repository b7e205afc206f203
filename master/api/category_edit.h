/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the category of set-category, and changes its name where streams,
 * users and settings use it.  Pure. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

/* A request that was not judged yet. */
struct category_request {
	const json_t *list;     /* the present `categories'; NULL: none */
	const json_t *category; /* the new category; not a removal */
	const json_t *reorder;  /* `reorder' of the request; NULL: absent */
	/* index of the category in list; length of list: a new category */
	size_t place;
};

/* Returns the category to be stored, a new reference; NULL: error has the
 * sentence that the specification of the API demands.  detail: names the path,
 * its value and what is accepted, if that sentence does not; else "". */
json_t *category_make(const struct category_request *, struct errmsg *error,
		      struct errmsg *detail);

/* The names of a category and its groups that a request changes. */
struct category_change {
	const char *from; /* old name of the category; NULL: it is new */
	const char *to;   /* new name; NULL: the category is removed */
	/* {old name: new name} of groups, null: the group is removed; owned by
	 * the caller.  NULL: the category is removed. */
	json_t *groups;
};

/* Finds the changed names.  Groups correspond by their index: a group of old
 * has the name of the group of wanted with the same index.  It was removed if
 * wanted has none there, or one with `remove'. */
void category_change_init(struct category_change *, const json_t *old,
			  const json_t *wanted);

/* Returns the stream with the new names, a new reference; NULL: nothing
 * changes. */
json_t *category_change_stream(const struct category_change *,
			       const json_t *stream);

/* Changes the names in a value: a name, a list of names, or an object with
 * names as keys.  Returns the changed value, a new reference.  NULL: nothing
 * changes or, if *ret_gone is true, the value is the name of the removed
 * category. */
json_t *category_change_value(const struct category_change *,
			      const json_t *value, bool *ret_gone);
