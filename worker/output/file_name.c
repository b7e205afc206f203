/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/file_name.h"

#include "common/base/buf.h"

#include <errno.h>
#include <string.h>

/* Writes one part of a time as strftime(3) does, for the letters that
 * proto/spec/io_file.c allows. */
static void put_time(struct buf *to, char letter, const struct tm *t)
{
	struct tm copy = *t;

	if (letter == 'Y' || letter == 'F')
		buf_printf(to, "%04d", t->tm_year + 1900);
	else if (letter == 'y')
		buf_printf(to, "%02d", t->tm_year % 100);
	else if (letter == 'm')
		buf_printf(to, "%02d", t->tm_mon + 1);
	else if (letter == 'd')
		buf_printf(to, "%02d", t->tm_mday);
	else if (letter == 'j')
		buf_printf(to, "%03d", t->tm_yday + 1);
	else if (letter == 'H')
		buf_printf(to, "%02d", t->tm_hour);
	else if (letter == 'M')
		buf_printf(to, "%02d", t->tm_min);
	else if (letter == 'S')
		buf_printf(to, "%02d", t->tm_sec);
	else if (letter == 's')
		buf_printf(to, "%lld", (long long)mktime(&copy));
	else
		buf_printf(to, "%c", letter);
	if (letter == 'F')
		buf_printf(to, "-%02d-%02d", t->tm_mon + 1, t->tm_mday);
}

static void put_pattern(struct buf *to, const char *pattern, size_t len,
			const struct tm *t)
{
	for (size_t i = 0; i < len; i++) {
		if (pattern[i] == '%' && i + 1 < len)
			put_time(to, pattern[++i], t);
		else
			buf_printf(to, "%c", pattern[i]);
	}
}

int file_name_make(const struct file_name *n, const struct tm *when, char *ret,
		   size_t size)
{
	const char *dot = strrchr(n->pattern, '.');
	size_t len = strlen(n->pattern);
	size_t stem = dot != NULL && dot != n->pattern
			      ? (size_t)(dot - n->pattern)
			      : len;
	static const char stamp[] = "-%Y%m%d-%H%M%S";
	struct buf text = { 0 };
	int err = 0;

	put_pattern(&text, n->pattern, stem, when);
	if (n->rotates && strchr(n->pattern, '%') == NULL)
		put_pattern(&text, stamp, strlen(stamp), when);
	if (n->copy > 0)
		buf_printf(&text, "-%u", n->copy);
	put_pattern(&text, n->pattern + stem, len - stem, when);
	if (buf_len(&text) >= size) {
		err = -ENAMETOOLONG;
	} else {
		memcpy(ret, buf_head(&text), buf_len(&text));
		ret[buf_len(&text)] = '\0';
	}
	buf_done(&text);
	return err;
}
