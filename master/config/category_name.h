/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges the names of categories and groups.
 *
 * 1 to 64 characters: letters and digits of any script with the marks that
 * belong to them, spaces (not at the ends) and - _ . & + /.  Letters are
 * those of the C library's locale C.UTF-8, whatever the locale of the
 * process.  Owns that locale.
 */
#pragma once

#include <stdbool.h>

/* The rule of the names, for error texts. */
#define CATEGORY_NAME_RULE "1 to 64 letters, digits, spaces (not at an end) " \
			   "and - _ . & + /"

struct category_names;

/* Never returns NULL.  If the locale is missing, each character beyond ASCII,
 * except control characters and the no-break space, counts as a letter. */
struct category_names *category_names_new(void);
void category_names_free(struct category_names **);

/* True: the name follows the rule.  text must be valid UTF-8. */
bool category_name_is_valid(const struct category_names *, const char *text);
