/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of the web interface, which are part of the program.
 *
 * The build writes the table (web/embed).  Pure.
 */
#pragma once

#include <stddef.h>

struct static_file {
	const char *name;   /* "headend/main.js" */
	const void *plain;
	size_t plain_len;
	const void *gzip;   /* the same, compressed */
	size_t gzip_len;
};

struct static_tree {
	const char *hash; /* of all files, hexadecimal */
	const struct static_file *files; /* by name, as strcmp() orders them */
	size_t n;
};

/* The page itself. */
#define STATIC_PAGE "headend/index.html"

/* The files of this build.  Without a web interface it has a page that says
 * so. */
extern const struct static_tree static_tree;

/* NULL: there is no such file. */
const struct static_file *static_find(const struct static_tree *,
				      const char *name);

/* The media type by the ending of a name; NULL: it has another one. */
const char *static_type(const char *name);
