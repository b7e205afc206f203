/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *ptr)
{
	if (ptr == NULL)
		abort();
	return ptr;
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
		abort();
	return text;
}
