/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/errmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_text(struct errmsg *error, const char *format, va_list args)
	PRINTF_LIKE(2, 0);

static void write_text(struct errmsg *error, const char *format, va_list args)
{
	if (error != NULL)
		(void)vsnprintf(error->text, sizeof error->text, format, args);
}

void errmsg_set(struct errmsg *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_text(error, format, args);
	va_end(args);
}

int errmsg_fail(struct errmsg *error, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_text(error, format, args);
	va_end(args);
	return err;
}

void errmsg_prefix(struct errmsg *error, const char *format, ...)
{
	struct errmsg rest;
	va_list args;
	size_t len;

	if (error == NULL)
		return;
	rest = *error;
	va_start(args, format);
	write_text(error, format, args);
	va_end(args);
	len = strlen(error->text);
	(void)snprintf(error->text + len, sizeof error->text - len, "%s",
		       rest.text);
}
