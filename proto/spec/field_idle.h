/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds values of an object that have no effect, by the table of its fields:
 * where a field has none (idle_in), what it needs and what replaces it.
 *
 * A value that is the default of its field, or as good as absent, is not
 * reported: its absence has the same effect.
 */
#pragma once

#include "proto/spec/field.h"

/* Bits of field.idle_in. */
enum where {
	WHERE_SPTS = 1 << 0,
	WHERE_RELAY = 1 << 1, /* an mpts of one input */
	WHERE_MUX = 1 << 2,   /* an mpts of several inputs */
	WHERE_NO_PLAYLIST = 1 << 3, /* the path of an http output */
	WHERE_UNICAST = 1 << 4,
	/* types of adapters */
	WHERE_SATELLITE = 1 << 5,
	WHERE_TERRESTRIAL = 1 << 6,
	WHERE_CABLE = 1 << 7,
	WHERE_FILE = 1 << 8, /* an address of a file, not of a server */
	WHERE_PLAYLIST = 1 << 9, /* the path of an http output */
	WHERE_SINGLE = 1 << 10, /* a stream of one input */
	WHERE_OPEN = 1 << 11, /* the entry of a user, where viewers need no
			       * authorization */
	/* Not in idle_in: other streams use the fields with FIELD_SHARED. */
	WHERE_SHARED = 1 << 12,
};

/* The place as the end of a sentence: "in a stream of type spts".  where is one
 * bit. */
const char *where_text(unsigned where);

/* Is another key of the object, which a row names, set to the value that the
 * row needs? */
typedef bool field_on_fn(const struct field_need *, void *arg);

/* True if the row has no effect in this object; ret then says why: "does
 * nothing ...".  where: the places of the object. */
bool field_is_idle(const struct field *, unsigned where, field_on_fn *is_on,
		   void *arg, struct errmsg *ret);

/* As field_is_idle(), with the keys of the object. */
bool field_does_nothing(const struct field *, const json_t *object,
			unsigned where);

/* Has the object (NULL: none) a value of the field that is neither its default
 * nor as good as absent? */
bool field_is_asked(const struct field *, const json_t *object);

/* Reports the keys of object (NULL: none) without effect. */
void field_find_idle(const struct field_table *, const json_t *object,
		     unsigned where, field_found_fn *found, void *arg);
