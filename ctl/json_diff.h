/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the differences between two JSON documents.
 *
 * The elements of two lists are compared by "id" if each element has one that
 * is unique in its list; otherwise they are compared by position.
 */
#pragma once

#include <jansson.h>

/*
 * Returns a new list of the differences, with object keys and ids in
 * alphabetical order:
 *	{ "path": "settings.control_port", "change": "changed",
 *	  "from": …, "to": … }
 * change is "added" (without from), "removed" (without to), "changed", or
 * "moved": elements of both lists are in another order; from and to are then
 * lists of their ids.
 */
json_t *json_diff(const json_t *from, const json_t *to);
