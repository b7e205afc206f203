/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of the web interface, which are part of the program.
 *
 * The build writes the table (web/embed).  Pure.
 */
#pragma once

#include <stddef.h>

struct static_file {
	const char *name;   /* such as "headend/main.js" */
	const void *plain;
	size_t plain_len;
	const void *gzip;   /* content compressed by gzip */
	size_t gzip_len;
};

struct static_tree {
	const char *hash; /* hexadecimal hash of all files */
	const struct static_file *files; /* sorted by name, as strcmp() does */
	size_t n;
};

/* Name of the page. */
#define STATIC_PAGE "headend/index.html"

/* The files of this build.  A build without a web interface has a page with
 * this information. */
extern const struct static_tree static_tree;

/* Returns a file by its name; NULL: none. */
const struct static_file *static_find(const struct static_tree *,
				      const char *name);

/* Returns the media type for the ending of a name; NULL: unknown. */
const char *static_type(const char *name);
