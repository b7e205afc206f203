/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds values of an object that have no effect, by the rows of its table:
 * idle_in, needs and beside.
 *
 * The default of a field, null, "", the number 0, and an empty list or object
 * are not reported: such a value counts as an absent key.
 */
#pragma once

#include "proto/spec/field.h"

/* Bits of field.idle_in: what kind of object has the field. */
enum where {
	WHERE_SPTS = 1 << 0,  /* a stream of type spts */
	WHERE_RELAY = 1 << 1, /* an mpts of one input */
	WHERE_MUX = 1 << 2,   /* an mpts of several inputs */
	WHERE_NO_PLAYLIST = 1 << 3, /* an http output whose path is no
				     * playlist (.m3u8) */
	WHERE_UNICAST = 1 << 4, /* an address that is no multicast group */
	/* adapters whose type is one of satellite, terrestrial or cable */
	WHERE_SATELLITE = 1 << 5,
	WHERE_TERRESTRIAL = 1 << 6,
	WHERE_CABLE = 1 << 7,
	WHERE_FILE = 1 << 8, /* an address of a file, not of a server */
	WHERE_PLAYLIST = 1 << 9, /* an http output whose path is a playlist */
	WHERE_SINGLE = 1 << 10, /* a stream of one input */
	WHERE_OPEN = 1 << 11, /* the entry of a user, while viewers need no
			       * authorization (auth.enable is off) */
	/* Never in idle_in.  Other streams use the values of this stream whose
	 * fields have FIELD_SHARED, so these are not reported. */
	WHERE_SHARED = 1 << 12,
};

/* The end of a sentence for one bit of enum where: "in a stream of type
 * spts". */
const char *where_text(unsigned where);

/* Is the key of the field_need set in the object, to the value that it
 * names? */
typedef bool field_on_fn(const struct field_need *, void *arg);

/* True if the field has no effect in this object; ret then says why: "does
 * nothing ...".  where: bits of enum where that hold for the object. */
bool field_is_idle(const struct field *, unsigned where, field_on_fn *is_on,
		   void *arg, struct errmsg *ret);

/* As field_is_idle(), for a JSON object. */
bool field_does_nothing(const struct field *, const json_t *object,
			unsigned where);

/* Has the object (NULL: none) a value of the field that does not count as an
 * absent key (see the head of this file)? */
bool field_is_asked(const struct field *, const json_t *object);

/* Reports the keys of object (NULL: no keys) that have no effect. */
void field_find_idle(const struct field_table *, const json_t *object,
		     unsigned where, field_found_fn *found, void *arg);
