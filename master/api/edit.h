/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the commands that change the configuration: reading a request,
 * finding an entry, sending an event. */
#pragma once

#include "common/base/util.h"
#include "master/api/command.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* members of the configuration */
#define ADAPTERS "dvb_tune"
#define STREAMS "make_stream"

enum {
	/* an event carries the whole object to every client */
	EDIT_OBJECT_MAX = 256 * 1024,
	GID_TEXT_MAX = 16,
};

/* A member, or NULL when it is absent or null. */
const json_t *edit_get(const json_t *object, const char *key);

/* The string below a key of an object, or NULL. */
const char *edit_text(const json_t *object, const char *key);

/* `gid` of the request, or -1 when absent; false after a reply. */
bool edit_gid(const json_t *request, json_int_t *ret, struct reply *);

/* A number, or its digits in a string; -1 for anything else. */
json_int_t edit_number(const json_t *value);

/* The object below key, where an empty list counts as an empty object.  NULL
 * when it is absent; false after a reply. */
bool edit_object(const json_t *request, const char *key, const json_t **ret,
		 struct reply *);

/* False after a reply when the object below key is too long for an event. */
bool edit_fits(const json_t *object, const char *key, struct reply *);

/* True for {remove: true}. */
bool edit_is_removal(const json_t *object);

/* True when both are the same to a user: numbers by their value, an empty list
 * and an empty object, null and NULL. */
bool edit_same(const json_t *a, const json_t *b);

/* True when `was` of the request is absent or the same as the stored value now
 * (NULL: there is none).  False after a reply of 409 with the stored value. */
bool edit_is_as_known(const json_t *request, const char *member,
		      const json_t *now, struct reply *);

/* The same for a section of the configuration. */
bool edit_section_is_as_known(const struct api *, const json_t *request,
			      const char *key, struct reply *);

/* A copy of the object of a request without its null members; of an entry
 * also without `remove` and `up`.  A new reference. */
json_t *edit_copy(const json_t *object);
json_t *edit_entry_copy(const json_t *object);

/* The list below key, to be changed and put back; empty when there is none.  A
 * new reference; its items are shared and must not be changed. */
json_t *edit_list(const struct api *, const char *key);

/* As entry_place() (master/config/entry.h), from the start of the list. */
size_t edit_find(const json_t *list, const char *key, const char *text);

/* The object with this id in the list below key, borrowed, or NULL. */
const json_t *edit_entry(const struct api *, const char *key, const char *id);

/* The object that `id` of the request names, borrowed; noun is "stream" or
 * "adapter".  NULL after a reply of 400 or 404. */
const json_t *edit_named(const struct api *, const char *key,
			 const char *noun, const json_t *request,
			 struct reply *);

/* An id from the counter that neither a stream nor an adapter has, in base 36.
 * *gid is the counter to begin with, or -1 for that of the configuration; it
 * moves past the id. */
void edit_next_id(const struct api *, json_int_t *gid,
		  char text[GID_TEXT_MAX]);

/* Stores the counter of a request, unless it is -1. */
void edit_set_gid(struct api *, json_int_t gid);

/* A message for the event channel; edit_announce() sends and releases it. */
json_t *edit_message(const char *scope);
void edit_announce(struct api *, json_t *message);

/* Puts `gid` into the message when the configuration holds one. */
void edit_add_gid(const struct api *, json_t *message);

/* {id, remove: true, up}; a new reference. */
json_t *edit_removal(const char *id, bool up);
