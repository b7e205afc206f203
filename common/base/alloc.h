/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation that never fails: the process ends when memory runs out, with a
 * line on standard error and the exit code ALLOC_EXIT_CODE.
 *
 * The master replaces a worker that ended so, and logs the reason.  The master
 * itself checks sizes from outside against a limit before it allocates.  The
 * caller owns the returned memory and frees it with free().
 */
#pragma once

#include "common/base/util.h"

#include <stdarg.h>
#include <stddef.h>

enum { ALLOC_EXIT_CODE = 100 };

/* Ends the process with a line on standard error and ALLOC_EXIT_CODE. */
_Noreturn void alloc_fail(void);

/* n zeroed objects of size bytes. */
void *xcalloc(size_t n, size_t size) __attribute__((malloc));

/* As realloc(3), but ends the process when memory runs out. */
void *xrealloc(void *ptr, size_t size);

/* A copy of s; NULL gives NULL. */
char *xstrdup(const char *s) __attribute__((malloc));

/* A copy of the first n bytes of s, terminated. */
char *xstrndup(const char *s, size_t n) __attribute__((malloc));

/* As malloc(3), but ends the process when memory runs out: for libraries that
 * take such a function. */
void *xmalloc(size_t size) __attribute__((malloc));

/* Wipes the memory, then frees it as free(3): for libraries that take such a
 * function. */
void free_wiped(void *ptr);

/* Formatted text in new memory. */
char *xasprintf(const char *format, ...) PRINTF_LIKE(1, 2);
