/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of files to play in sequence: one path a line, absolute or relative to
 * the folder of the list.  The parser ignores empty lines, lines that begin
 * with '#' (so an M3U of files is a list), and blanks at the end of a line.
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
	unsigned *lines; /* line numbers of the paths, from 1 */
};

/* Parses text (len bytes), the content of the list at path.  0, or -EINVAL
 * with error. */
int file_list_read(const char *path, const char *text, size_t len,
		   struct file_list *ret, struct errmsg *error) MUST_CHECK;
void file_list_done(struct file_list *);
