/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/typo.h"

#include "common/base/util.h"

#include <string.h>

enum {
	WORD_MAX = 64, /* longer words are not compared; bytes */
	TYPO_MAX = 2, /* most letters that differ in a misspelled word */
};

/* The Levenshtein distance: the number of letters to add, remove or change to
 * turn a into b. */
static size_t distance(const char *a, const char *b)
{
	size_t before[WORD_MAX + 1], row[WORD_MAX + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > WORD_MAX || m > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= m; j++)
		before[j] = j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t change = before[j - 1] +
					(a[i - 1] != b[j - 1] ? 1 : 0);

			row[j] = MIN(MIN(before[j], row[j - 1]) + 1, change);
		}
		memcpy(before, row, (m + 1) * sizeof *row);
	}
	return before[m];
}

void typo_compare(struct typo *t, const char *known)
{
	size_t least = t->nearest != NULL ? t->differ : TYPO_MAX + 1;
	size_t differ = distance(t->word, known);

	/* if more than half of the letters differ, it is another word: "lcn" is
	 * no typo of "own" */
	if (differ >= least || 2 * differ > strlen(t->word))
		return;
	t->nearest = known;
	t->differ = differ;
}
