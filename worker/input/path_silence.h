/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long one of several paths has brought nothing while others did. */
#pragma once

#include <stdbool.h>

enum { SILENCE_PATIENCE_S = 3 };

/* Its seconds after this one; one in which nobody brings anything tells nothing
 * of it. */
static inline unsigned silence_second(unsigned silent_s, bool brings,
				      bool others_bring)
{
	if (brings)
		return 0;
	return silent_s + others_bring;
}

/* Whether that is worth a word: while nobody brings anything it is not why. */
static inline bool silence_matters(unsigned silent_s, bool others_bring)
{
	return others_bring && silent_s >= SILENCE_PATIENCE_S;
}
