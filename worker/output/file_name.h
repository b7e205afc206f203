/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The name of the next file of a recording.  Pure. */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct file_name {
	const char *pattern; /* the last part of the path, judged before */
	bool rotates;        /* without a time in it, one is put in */
	unsigned copy;       /* > 0: that name was there already, so often */
};

/* 0, or -ENAMETOOLONG. */
int file_name_make(const struct file_name *, const struct tm *, char *ret,
		   size_t size) MUST_CHECK;
