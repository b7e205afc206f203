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

/* The value after the first n steps, borrowed; NULL if absent. */
json_t *json_path_get(const struct json_path *, size_t n, json_t *root);

/* The index of the element of list that step names, or -ENOENT. */
ssize_t json_path_index(const json_t *list, const char *step);

/*
 * Sets value (borrowed; NULL removes) at a path that is not the whole
 * document.  The parent must exist.  A list appends value if its "id" is the
 * last step, or if the step is the next number.  0, -ENOENT or -EINVAL with
 * error.
 */
int json_path_put(const struct json_path *, json_t *root, json_t *value,
		  struct errmsg *error) MUST_CHECK;
