/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that change the configuration have in common. */
#pragma once

#include "common/base/util.h"
#include "master/api/command.h"
#include "master/api/stream_edit.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* the list of adapters in the configuration */
#define ADAPTERS "dvb_tune"

enum {
	/* every event client is sent the whole object */
	EDIT_OBJECT_MAX = 256 * 1024,
};

/* A member, or NULL when it is absent or null. */
const json_t *edit_get(const json_t *object, const char *key);

/* `id` of the request, a string, or NULL when absent; false after a reply. */
bool edit_id(const json_t *request, const char **ret, struct reply *);

/* `gid` of the request, or -1 when absent; false after a reply. */
bool edit_gid(const json_t *request, json_int_t *ret, struct reply *);

/* The object below key, where an empty list counts as an empty object.  NULL
 * when it is absent; false after a reply. */
bool edit_object(const json_t *request, const char *key, const json_t **ret,
		 struct reply *);

/* False after a reply when the object below key is too long to be sent to
 * event clients. */
bool edit_fits(const json_t *object, const char *key, struct reply *);

/* {remove: true}? */
bool edit_is_removal(const json_t *object);

/* A copy of the object that a request brought, without what is null; of an
 * entry also without the keys of a removal.  A new reference. */
json_t *edit_copy(const json_t *object);
json_t *edit_entry_copy(const json_t *object);

/* The list below key, to be changed and put back; empty when there is none.  A
 * new reference; its items are shared and must not be changed. */
json_t *edit_list(const struct api *, const char *key);

/* The place of the object with this id (never NULL), or the list's length. */
size_t edit_find(const json_t *list, const char *id);

/* The object of the list below key with this id, borrowed, or NULL. */
const json_t *edit_entry(const struct api *, const char *key, const char *id);

/* An id from the counter that neither a stream nor an adapter has.  *gid is the
 * counter to begin with, or -1 for that of the configuration; it moves behind
 * the id.  What a request says of the counter is what it is afterwards. */
void edit_next_id(const struct api *, json_int_t *gid,
		  char text[GID_TEXT_MAX]);

/* Stores the counter of a request, unless it is -1. */
void edit_set_gid(struct api *, json_int_t gid);

/* A message for the event channel; edit_say() sends and releases it. */
json_t *edit_message(const char *scope);
void edit_say(struct api *, json_t *message);

/* Puts `gid` into the message when the configuration holds one. */
void edit_add_gid(const struct api *, json_t *message);

/* {id, remove: true, up}; a new reference. */
json_t *edit_removal(const char *id, bool up);
