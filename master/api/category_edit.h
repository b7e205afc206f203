/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What set-category does: judges a category, and finds what becomes of the
 * names that others use.  Pure. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

/* A request, as it came. */
struct category_request {
	const json_t *list;     /* `categories` as they are, or NULL */
	const json_t *category; /* wanted; not a removal */
	const json_t *reorder;  /* or NULL */
	size_t place;           /* in the list, or its length */
};

/* The category to be stored, a new reference; NULL with the sentence of the
 * specification. */
json_t *category_make(const struct category_request *, struct errmsg *error);

/* What becomes of names; from is the category's, to is NULL when it goes.
 * groups: old names of groups to new ones, or to null for those that go. */
struct category_change {
	const char *from;
	const char *to;
	json_t *groups; /* owned; NULL when the category goes */
};

/* The groups of old have their places: what stands there now is what they
 * become. */
void category_change_init(struct category_change *, const json_t *old,
			  const json_t *wanted);
void category_change_done(struct category_change *);

/* The stream with its assignment as it is to be, a new reference, or NULL when
 * nothing changes. */
json_t *category_change_stream(const struct category_change *,
			       const json_t *stream);

/* The same for a value in which categories are named: a name, a list, or an
 * object with names as keys.  *ret_gone: it was the name of one that goes. */
json_t *category_change_value(const struct category_change *,
			      const json_t *value, bool *ret_gone);
