/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The findings of a check for a person: faults first, then warnings, with only
 * a few of those that are alike.
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
	char *kind; /* the key and the text without numbers of places */
};

struct findings {
	struct finding *list;
	size_t n;
	size_t room;
};

/* A check_found_fn; arg is the struct findings. */
void findings_add(enum check_severity, const char *path, const char *text,
		  void *arg);

/* Reports all in order; the last of FINDINGS_ALIKE_MAX warnings alike has the
 * number of the others. */
void findings_report(const struct findings *, check_found_fn *report,
		     void *arg);

/* Reports each finding (f NULL: none), for another collection of them. */
void findings_repeat(const struct findings *f, check_found_fn *report,
		     void *arg);

void findings_done(struct findings *);
