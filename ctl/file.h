/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files of a bounded size, and JSON in them. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stddef.h>
#include <sys/stat.h>

enum { FILE_JSON_MAX = 64 * 1024 * 1024 };

/*
 * "-" is standard input.  *ret is terminated, to be freed; stat (may be NULL)
 * tells what it was read from.  0, or -errno with why, that names the file:
 * -EFBIG for more than max bytes.
 */
int file_read(const char *path, size_t max, char **ret, struct stat *stat,
	      struct errmsg *why) MUST_CHECK;

/* In the place of path, for the user alone (0600), in folders that are made
 * where they are missing (0700).  0, or -errno with why. */
int file_write_private(const char *path, const char *text,
		       struct errmsg *why) MUST_CHECK;

/* The JSON in a file; -EINVAL with "file:line:column: why". */
int file_read_json(const char *path, json_t **ret,
		   struct errmsg *why) MUST_CHECK;
