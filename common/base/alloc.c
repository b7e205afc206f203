/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Writes the line without the log, because the log allocates memory. */
void alloc_fail(void)
{
	char self[16] = "", text[64];
	int len;

	(void)prctl(PR_GET_NAME, self);
	len = snprintf(text, sizeof text, "error %s: out of memory\n", self);
	(void)!write(STDERR_FILENO, text, (size_t)len);
	_exit(ALLOC_EXIT_CODE);
}

static void *must(void *ptr)
{
	if (ptr == NULL)
		alloc_fail();
	return ptr;
}

void *xmalloc(size_t size)
{
	return must(malloc(size > 0 ? size : 1));
}

void free_wiped(void *ptr)
{
	if (ptr != NULL)
		explicit_bzero(ptr, malloc_usable_size(ptr));
	free(ptr);
}

void *xcalloc(size_t n, size_t size)
{
	return must(calloc(n, size));
}

void *xrealloc(void *ptr, size_t size)
{
	return must(realloc(ptr, size));
}

char *xstrdup(const char *s)
{
	return s == NULL ? NULL : must(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return must(strndup(s, n));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text = NULL;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		alloc_fail();
	return text;
}
