/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The warnings of `sluice -t' about a section that a command stores. */
#pragma once

#include "master/api/command.h"
#include "master/config/check.h"

#include <jansson.h>

struct findings;

/* Returns the warnings, a new list of texts; NULL: the request does not have
 * `warnings' true.  Logs them, unless the request has `dry_run' true.  files:
 * findings about files; NULL: none. */
json_t *section_warnings(struct api *, const json_t *request,
			 const char *key, const json_t *value,
			 const struct findings *files);

/* Adds these warnings (taken; may be NULL) to a reply, in front of warnings
 * that the reply already has. */
void section_warnings_add(json_t *take_list, struct reply *);

/* Adds the warnings about an entry of a list to the reply, if the request has
 * `warnings' true.  name: name of the entry for the log; NULL: nothing is
 * logged, because the entry is not stored or the caller logs. */
void entry_warnings(const json_t *request, const struct check_entry *,
		    const char *name, struct reply *);
