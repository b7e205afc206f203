/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Paths in a configuration: "settings.control_port", "users[olga]",
 * "make_stream[news].input[0]".
 *
 * Text in brackets is a key of an object with any characters, or the "id" or
 * the number of an element of a list.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stddef.h>

enum { JSON_PATH_STEPS = 16 };

/* Owns its text. */
struct json_path {
	char *text;
	const char *steps[JSON_PATH_STEPS];
	size_t n_steps; /* 0: the whole document */
};

/* Parses a path; "" and "." are the whole document.  0 or -EINVAL with
 * error. */
int json_path_parse(const char *text, struct json_path *ret,
		    struct errmsg *error) MUST_CHECK;
void json_path_done(struct json_path *);

/* Returns the value to which the first n steps of the path lead, borrowed;
 * NULL: it is absent. */
json_t *json_path_get(const struct json_path *, size_t n, json_t *root);

/* Returns the index of the element of the list whose "id" or number the step
 * is, or -ENOENT. */
ssize_t json_path_index(const json_t *list, const char *step);

/*
 * Sets the value (borrowed) at a path that is not the whole document; value
 * NULL removes it.  The object or list around it must exist.  In a list without
 * this element the value is appended if its "id" is the last step, or if the
 * last step is the length of the list.  0, -ENOENT or -EINVAL with error.
 */
int json_path_put(const struct json_path *, json_t *root, json_t *value,
		  struct errmsg *error) MUST_CHECK;
