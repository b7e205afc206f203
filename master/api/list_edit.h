/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists of objects with an id that commands append to and remove from: softcam
 * and cas.  The name is that of the list in the configuration, of the object
 * in a request and in the event, and "set-<name>" is the command.
 */
#pragma once

#include "common/base/util.h"
#include "master/api/command.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct entry_edit {
	const char *name;
	const char *id;       /* of the request, or NULL */
	const json_t *wanted;
	json_int_t gid;       /* of the request, or -1 */
	bool remove;
	bool known;           /* there is an entry with this id */
};

/* Reads a request; required: the members that an object to be stored has to
 * have, "id" among them.  False after a reply, or a drop. */
bool entry_edit_read(struct api *, const json_t *request,
		     const char *const *required, size_t n_required,
		     struct entry_edit *, struct reply *);

/* The two steps of a replacement, each with its message: the old entry goes,
 * if it is known; the new one comes at the end, if there is one. */
void entry_edit_remove(struct api *, const struct entry_edit *);
void entry_edit_append(struct api *, const struct entry_edit *);
