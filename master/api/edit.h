/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the commands that change the configuration: reading a request,
 * finding an entry, sending an event. */
#pragma once

#include "common/base/util.h"
#include "master/api/command.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Members of the configuration. */
#define ADAPTERS "dvb_tune"
#define STREAMS "make_stream"

enum {
	/* Limit of an object in bytes of JSON: an event with it is sent to
	 * every client. */
	EDIT_OBJECT_MAX = 256 * 1024,
	GID_TEXT_MAX = 16,
};

/* Returns a member; NULL: it is absent or null. */
const json_t *edit_get(const json_t *object, const char *key);

/* Returns the string of a member; NULL: it is absent or no string. */
const char *edit_text(const json_t *object, const char *key);

/* Reads `gid' of the request; -1: absent.  False: the reply already has the
 * error. */
bool edit_gid(const json_t *request, json_int_t *ret, struct reply *);

/* Returns the value of a JSON integer, or the number in a string of digits; -1:
 * another value. */
json_int_t edit_number(const json_t *value);

/* Reads a member that is an object; an empty list counts as an empty object.
 * *ret NULL: the member is absent or null.  False: the reply already has the
 * error. */
bool edit_object(const json_t *request, const char *key, const json_t **ret,
		 struct reply *);

/* False: the object is too long for an event, and the reply has the error. */
bool edit_fits(const json_t *object, const char *key, struct reply *);

/* True: the object has the member `remove' with the value true. */
bool edit_is_removal(const json_t *object);

/* True: both values mean the same: numbers are compared by value; an empty list
 * equals an empty object, and null equals NULL. */
bool edit_same(const json_t *a, const json_t *b);

/* now: the stored value; NULL: none.  True: `was' of the request is absent, or
 * equals this value.  False: another client has changed the value, and the
 * reply is 409 with the stored value. */
bool edit_is_as_known(const json_t *request, const char *member,
		      const json_t *now, struct reply *);

/* As edit_is_as_known(), for a section of the configuration. */
bool edit_section_is_as_known(const struct api *, const json_t *request,
			      const char *key, struct reply *);

/* Returns a copy of an object without its null members, a new reference; an
 * empty object for another value. */
json_t *edit_copy(const json_t *object);
/* As edit_copy(), for an entry: also without `remove' and `up'. */
json_t *edit_entry_copy(const json_t *object);

/* Returns a copy of the list of a section, to change and store it; empty if
 * there is none.  A new reference; the items are shared and must not be
 * changed. */
json_t *edit_list(const struct api *, const char *key);

/* As entry_place() (master/config/entry.h), from the start of the list: returns
 * the index, or the length of the list if there is none. */
size_t edit_find(const json_t *list, const char *key, const char *text);

/* Returns the object with this id in a list of the configuration, borrowed;
 * NULL: none. */
const json_t *edit_entry(const struct api *, const char *key, const char *id);

/* Returns the object that `id' of the request names, borrowed; noun is "stream"
 * or "adapter".  NULL: the reply already has the error, 400 or 404. */
const json_t *edit_named(const struct api *, const char *key,
			 const char *noun, const json_t *request,
			 struct reply *);

/* Makes an id, the counter *gid in base 36, that neither a stream nor an
 * adapter has.  *gid -1: begins with the counter of the configuration.  Sets
 * *gid to the number after that of the new id. */
void edit_next_id(const struct api *, json_int_t *gid,
		  char text[GID_TEXT_MAX]);

/* Stores the id counter of a request, unless gid is -1. */
void edit_set_gid(struct api *, json_int_t gid);

/* Makes a message for the event channel.  edit_announce() sends it to all
 * clients and frees it. */
json_t *edit_message(const char *scope);
void edit_announce(struct api *, json_t *message);

/* Adds `gid' of the configuration, the counter from which new ids are made, to
 * the message, if the configuration has it. */
void edit_add_gid(const struct api *, json_t *message);

/* Returns {id, remove: true, up}, a new reference. */
json_t *edit_removal(const char *id, bool up);
