/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads whole files of limited size, also as JSON, and replaces files. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stddef.h>
#include <sys/stat.h>

enum { FILE_JSON_MAX = 64 * 1024 * 1024 };

/*
 * Reads a whole file; "-" is standard input.  *ret is its text with a NUL at
 * the end, which the caller frees; *stat (may be NULL) describes the file.  0,
 * or -errno with error, which names the file; -EFBIG: it has more than max
 * bytes.
 */
int file_read(const char *path, size_t max, char **ret, struct stat *stat,
	      struct errmsg *error) MUST_CHECK;

/* Replaces the file at path by a file of mode 0600; creates missing folders
 * with mode 0700.  0, or -errno with error. */
int file_write_private(const char *path, const char *text,
		       struct errmsg *error) MUST_CHECK;

/* Parses a JSON file ("-": standard input); *ret is a new reference.  0, or
 * -errno with error; -EINVAL with "file:line:column: error". */
int file_read_json(const char *path, json_t **ret,
		   struct errmsg *error) MUST_CHECK;
