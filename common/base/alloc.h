/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that is there or the process ends.
 *
 * A worker that is out of memory is replaced; the master bounds what it
 * allocates for others before it calls.  The caller owns what is returned
 * and frees it with free().
 */
#pragma once

#include "common/base/util.h"

#include <stdarg.h>
#include <stddef.h>

/* n objects of size bytes, all zero.  Aborts when there is no memory. */
void *xcalloc(size_t n, size_t size) __attribute__((malloc));

/* As realloc(3).  Aborts when there is no memory. */
void *xrealloc(void *ptr, size_t size);

/* A copy of s; NULL gives NULL. */
char *xstrdup(const char *s) __attribute__((malloc));

/* A copy of the first n bytes of s, terminated. */
char *xstrndup(const char *s, size_t n) __attribute__((malloc));

/* Formatted text in memory of its own. */
char *xasprintf(const char *format, ...) PRINTF_LIKE(1, 2);
