/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a check found, to be read by a person: faults first, then warnings, of
 * those that say the same of many places only a few.
 *
 * Owns copies.  Embedded; zeroed memory: nothing was found.
 */
#pragma once

#include "master/config/check.h"

#include <stddef.h>

enum { FINDINGS_ALIKE_MAX = 3 };

struct finding {
	enum check_severity severity;
	char *path;
	char *text;
	char *kind; /* the text without the places that it names */
};

struct findings {
	struct finding *list;
	size_t n;
	size_t room;
};

/* A check_found_fn; arg is the struct findings. */
void findings_add(enum check_severity, const char *path, const char *text,
		  void *arg);

/* Tells all in order; the last of FINDINGS_ALIKE_MAX warnings alike says how
 * many more there are. */
void findings_tell(const struct findings *, check_found_fn *tell, void *arg);

void findings_done(struct findings *);
