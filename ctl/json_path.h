/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in a configuration: "settings.control_port", "users[olga]",
 * "make_stream[news].input[0]".
 *
 * What stands in brackets is a key of an object, whatever is in it; of a list
 * the element with this "id", or with this number.
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

/* "" and "." are the whole.  0 or -EINVAL with why. */
int json_path_parse(const char *text, struct json_path *ret,
		    struct errmsg *why) MUST_CHECK;
void json_path_done(struct json_path *);

/* What is there after the first n steps; borrowed, NULL when nothing is. */
json_t *json_path_get(const struct json_path *, size_t n, json_t *root);

/* The number of the element of a list that step means; -ENOENT. */
ssize_t json_path_index(const json_t *list, const char *step);

/*
 * Puts value (borrowed; NULL removes) there.  The place before the last step
 * must be there; a list takes a new element when its "id" is the step, or the
 * step is the number behind the last.  0, -ENOENT or -EINVAL with why.
 */
int json_path_put(const struct json_path *, json_t *root, json_t *value,
		  struct errmsg *why) MUST_CHECK;
