/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The warnings of `sluice -t' about a section that a command stores. */
#pragma once

#include "master/api/command.h"

#include <jansson.h>

/* A new list of texts; NULL unless the request has `warnings' true.  Keys
 * without a meaning are logged in any case. */
json_t *section_warnings(struct api *, const json_t *request,
			 const char *key, const json_t *value);

/* Puts them in front of the other warnings of a reply; NULL: there is none. */
void section_warnings_add(json_t *take_list, struct reply *);
