/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects the findings of a check to report them: faults first, then warnings,
 * with a limit for similar ones.
 *
 * Owns copies.  Embedded; zeroed memory is empty.
 */
#pragma once

#include "master/config/check.h"

#include <stddef.h>

enum { FINDINGS_ALIKE_MAX = 3 };

struct finding {
	enum check_severity severity;
	char *path;
	char *text;
	char *kind; /* key and text without indices, to find similar findings */
};

struct findings {
	struct finding *list;
	size_t n;
	size_t room;
};

/* A check_found_fn that adds a finding; arg is the struct findings. */
void findings_add(enum check_severity, const char *path, const char *text,
		  void *arg);

/* Reports the faults, then the warnings, each in order.  Of similar warnings,
 * reports FINDINGS_ALIKE_MAX; the last one has the number of the others. */
void findings_report(const struct findings *, check_found_fn *report,
		     void *arg);

/* Passes every finding of f (NULL: none) to report, for instance findings_add()
 * of another collection. */
void findings_repeat(const struct findings *f, check_found_fn *report,
		     void *arg);

void findings_done(struct findings *);
