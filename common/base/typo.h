/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the known word of which an unknown one is probably a misspelling: at
 * most two letters differ, and at most half of the letters of the unknown word.
 * Pure. */
#pragma once

#include <stddef.h>

struct typo {
	const char *word; /* the unknown word; borrowed */
	/* the known word that differs least; borrowed.  NULL: no known word is
	 * similar */
	const char *nearest;
	size_t differ; /* letters in which nearest differs from word */
};

/* Compares the unknown word with a known one.  Words above 64 bytes are never
 * similar. */
void typo_compare(struct typo *, const char *known);
