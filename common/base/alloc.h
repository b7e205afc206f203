/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation that never fails: the process aborts when memory runs out.
 *
 * The master replaces an aborted worker.  The master itself checks sizes from
 * outside against a limit before it allocates.  The caller owns the returned
 * memory and frees it with free().
 */
#pragma once

#include "common/base/util.h"

#include <stdarg.h>
#include <stddef.h>

/* n zeroed objects of size bytes; aborts when memory runs out. */
void *xcalloc(size_t n, size_t size) __attribute__((malloc));

/* As realloc(3); aborts when memory runs out. */
void *xrealloc(void *ptr, size_t size);

/* A copy of s; NULL gives NULL. */
char *xstrdup(const char *s) __attribute__((malloc));

/* A copy of the first n bytes of s, terminated. */
char *xstrndup(const char *s, size_t n) __attribute__((malloc));

/* Formatted text in new memory. */
char *xasprintf(const char *format, ...) PRINTF_LIKE(1, 2);
