/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The warnings of `sluice -t' about a section that a command stores. */
#pragma once

#include "master/api/command.h"
#include "master/config/check.h"

#include <jansson.h>

struct findings;

/* A new list of texts; NULL unless the request has `warnings' true.  The log
 * has all of them, unless the request has `dry_run' true.  files: those about
 * files; NULL: none. */
json_t *section_warnings(struct api *, const json_t *request,
			 const char *key, const json_t *value,
			 const struct findings *files);

/* Puts them in front of the other warnings of a reply; NULL: there is none. */
void section_warnings_add(json_t *take_list, struct reply *);

/* The same about an entry of a list, into the reply of a request with
 * `warnings' true.  name: for the lines of the log; NULL: it is not stored, or
 * the caller logs. */
void entry_warnings(const json_t *request, const struct check_entry *,
		    const char *name, struct reply *);
