/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/errmsg.h"

#include "common/base/utf8.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Removes an incomplete UTF-8 character at the end of a truncated text. */
static void trim(struct errmsg *error)
{
	size_t end = sizeof error->text - 1, at = end;

	if (strlen(error->text) < end)
		return;
	while (at > end - UTF8_MAX && (error->text[at - 1] & 0xc0) == 0x80)
		at--;
	if (!utf8_is_valid(error->text + at - 1, end - at + 1))
		error->text[at - 1] = '\0';
}

static void write_text(struct errmsg *error, const char *format, va_list args)
	PRINTF_LIKE(2, 0);

static void write_text(struct errmsg *error, const char *format, va_list args)
{
	if (error == NULL)
		return;
	(void)vsnprintf(error->text, sizeof error->text, format, args);
	trim(error);
	utf8_repair(error->text);
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
	trim(error);
}

bool errmsg_is_alike(const char *a, const char *b)
{
	for (;;) {
		bool digits = isdigit((unsigned char)*a) &&
			      isdigit((unsigned char)*b);

		while (digits && isdigit((unsigned char)*a))
			a++;
		while (digits && isdigit((unsigned char)*b))
			b++;
		if (*a != *b)
			return false;
		if (*a == '\0')
			return true;
		if (!digits) {
			a++;
			b++;
		}
	}
}
