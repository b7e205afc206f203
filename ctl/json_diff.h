/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What differs between two JSON documents, place by place.
 *
 * Elements of lists are compared by their "id" where all have one that no
 * other has; else by position.
 */
#pragma once

#include <jansson.h>

/*
 * A list, new, in the order of the places:
 *	{ "path": "settings.control_port", "change": "changed",
 *	  "from": …, "to": … }
 * change is "added" (without from), "removed" (without to), "changed", or
 * "moved": the same elements in another order, from and to are their ids.
 */
json_t *json_diff(const json_t *from, const json_t *to);
