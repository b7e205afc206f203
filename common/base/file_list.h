/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of files to be played one after the other: a path a line, relative to
 * the folder of the list; empty lines and those that begin with '#' say
 * nothing, so that an M3U of files is one.  Blanks at the end of a line are not
 * of the name.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stddef.h>

enum {
	FILE_LIST_BYTES_MAX = 1024 * 1024,
	FILE_LIST_MAX = 10000, /* files */
};

struct file_list {
	size_t n;
	char **paths; /* owned */
	unsigned *lines; /* where they stand, from 1 */
};

/* Of the text of a list (len bytes) at path.  0, or -EINVAL with why. */
int file_list_read(const char *path, const char *text, size_t len,
		   struct file_list *ret, struct errmsg *why) MUST_CHECK;
void file_list_done(struct file_list *);
