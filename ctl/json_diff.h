/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The differences between two JSON documents, by path.
 *
 * Elements of lists are compared by "id" if all of them have unique ones, else
 * by position.
 */
#pragma once

#include <jansson.h>

/*
 * A new list, sorted by path:
 *	{ "path": "settings.control_port", "change": "changed",
 *	  "from": …, "to": … }
 * change is "added" (without from), "removed" (without to), "changed", or
 * "moved": the same elements in another order; from and to are their ids.
 */
json_t *json_diff(const json_t *from, const json_t *to);
