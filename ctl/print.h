/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the results of subcommands. */
#pragma once

#include "common/base/buf.h"
#include "ctl/ctl.h"
#include "ctl/table.h"

#include <stdio.h>

/* Prints and empties text. */
void print_text(struct buf *text, FILE *to);

/* Prints words and the text of the key of a reply to standard error; nothing if
 * the key is absent. */
void print_error(const json_t *reply, const char *key, const char *words);

/* Prints the `warnings` of a reply (NULL: none) to standard error. */
void print_warnings(const json_t *reply);

/* Queries a path and prints the reply: as JSON with --json, else by show(). */
enum ctl_exit print_answer(struct ctl *, const char *path,
			   void (*show)(const struct ctl *,
					const json_t *answer)) MUST_CHECK;

/* Prints the whole table to standard output. */
void print_table(const struct ctl *, const struct table *);
