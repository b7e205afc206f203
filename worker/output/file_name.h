/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the name of the next file of a recording.  Pure. */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct file_name {
	const char *pattern; /* the last part of a checked path */
	bool rotates;        /* adds the time to a pattern without one */
	unsigned copy;       /* number that is appended because the name exists;
			      * 0: none */
};

/* Writes the name into ret.  0, or -ENAMETOOLONG. */
int file_name_make(const struct file_name *, const struct tm *, char *ret,
		   size_t size) MUST_CHECK;
