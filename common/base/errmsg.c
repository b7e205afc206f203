/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/errmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_text(struct errmsg *why, const char *format, va_list args)
	PRINTF_LIKE(2, 0);

static void write_text(struct errmsg *why, const char *format, va_list args)
{
	if (why != NULL)
		(void)vsnprintf(why->text, sizeof why->text, format, args);
}

void errmsg_set(struct errmsg *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_text(why, format, args);
	va_end(args);
}

int errmsg_fail(struct errmsg *why, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_text(why, format, args);
	va_end(args);
	return err;
}

void errmsg_prefix(struct errmsg *why, const char *format, ...)
{
	struct errmsg rest;
	va_list args;
	size_t len;

	if (why == NULL)
		return;
	rest = *why;
	va_start(args, format);
	write_text(why, format, args);
	va_end(args);
	len = strlen(why->text);
	(void)snprintf(why->text + len, sizeof why->text - len, "%s",
		       rest.text);
}
