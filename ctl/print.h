/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a subcommand prints. */
#pragma once

#include "common/base/buf.h"
#include "ctl/ctl.h"
#include "ctl/table.h"

#include <stdio.h>

/* All of it; text is empty then. */
void print_text(struct buf *text, FILE *to);

/* What GET of a path answers: as JSON when that is asked for, or by show(). */
enum ctl_exit print_answer(struct ctl *, const char *path,
			   void (*show)(const struct ctl *,
					const json_t *answer)) MUST_CHECK;

/* All rows, to standard output. */
void print_table(const struct ctl *, const struct table *);
