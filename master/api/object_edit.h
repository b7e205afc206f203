/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A request that creates, replaces, renames or removes an object with an id: a
 * stream or an adapter.  What both kinds have in common.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

struct reply;

/* A request, judged as far as its own form goes; borrows from it. */
struct object_edit {
	const char *kind;   /* the key of the object: "stream", "adapter" */
	const char *id;     /* of the request, or NULL */
	const char *old_id; /* the same when such an object exists, or NULL */
	const json_t *wanted;
	bool remove;
	json_int_t gid;  /* of the request, or -1 */
	json_int_t next; /* behind the ids made here, or -1 */
};

/* All but old_id, which is NULL; false after a reply. */
bool object_edit_read(struct object_edit *, const char *kind,
		      const json_t *request, struct reply *) MUST_CHECK;

/* Is there what is to be removed?  False after a reply. */
bool object_edit_can_remove(const struct object_edit *, struct reply *)
	MUST_CHECK;
