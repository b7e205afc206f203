/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/tables_spec.h"

#include <errno.h>
#include <string.h>

const char *const table_origins[] = {
	[ORIGIN_PASS] = "pass",
	[ORIGIN_OWN] = "own",
	[ORIGIN_OFF] = "off",
	NULL,
};

const char *const clock_lost_words[] = {
	[CLOCK_KEEP] = "keep",
	[CLOCK_STOP] = "stop",
	[CLOCK_SOURCE] = "source",
	NULL,
};

/* A name of the tz database is a path below its folder. */
static int read_timezone(const struct field *f, const char *key,
			 const char *text, void *s, struct errmsg *error)
{
	size_t len = strlen(text);

	(void)key;
	if (len > TIMEZONE_MAX)
		return errmsg_fail(error, -EINVAL, "is longer than %d bytes",
				   TIMEZONE_MAX);
	if (text[0] == '/' || strstr(text, "..") != NULL ||
	    strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			 "0123456789/_+-") != len)
		return errmsg_fail(error, -EINVAL, "\"%.64s\" is not a time "
				   "zone such as Europe/Berlin", text);
	memcpy((char *)s + f->offset, text, len + 1);
	return 0;
}

/* ISO 3166-1 alpha-3 */
static int read_country(const struct field *f, const char *key,
			const char *text, void *s, struct errmsg *error)
{
	(void)key;
	if (strlen(text) != 3 ||
	    strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3)
		return errmsg_fail(error, -EINVAL, "\"%.16s\" is not a country "
				   "of three capital letters such as DEU",
				   text);
	memcpy((char *)s + f->offset, text, 4);
	return 0;
}

const struct field_hook timezone_hook = { .schema = "string",
					  .read = read_timezone };
const struct field_hook country_hook = { .schema = "string",
					 .read = read_country };
