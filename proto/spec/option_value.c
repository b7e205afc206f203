/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/option_value.h"

#include "common/base/hex.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* How many of len bytes of a wrong value an error shows. */
#define SHOWN(len) ((int)MIN(len, (size_t)64))

void option_words(const char *const *words, size_t n,
		  char text[OPTION_WORDS_TEXT])
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n && len < OPTION_WORDS_TEXT; i++)
		len += (size_t)snprintf(text + len, OPTION_WORDS_TEXT - len,
					"%s%s",
					i == 0	    ? ""
					: i + 1 < n ? ", "
						    : " or ",
					words[i]);
}

int option_number(const char *text, size_t len, unsigned min, unsigned max,
		  unsigned *ret, struct errmsg *error)
{
	bool fits = len == 0 || text[0] != '-';
	size_t start = fits ? 0 : 1;
	unsigned n = 0;

	for (size_t i = start; i < len; i++) {
		unsigned digit = (unsigned)(text[i] - '0');

		if (text[i] < '0' || text[i] > '9')
			return errmsg_fail(error, -EINVAL,
					   "\"%.*s\" is not a number "
					   "between %u and %u", SHOWN(len),
					   text, min, max);
		fits = fits && n <= (UINT_MAX - digit) / 10;
		n = n * 10 + digit;
	}
	if (len == start)
		return errmsg_fail(error, -EINVAL, "\"%.*s\" is not a number "
				   "between %u and %u", (int)len, text, min,
				   max);
	if (!fits || n < min || n > max)
		return errmsg_fail(error, -EINVAL,
				   "%.*s is not between %u and %u",
				   SHOWN(len), text, min, max);
	*ret = n;
	return 0;
}

int option_flag(const char *text, bool *ret, struct errmsg *error)
{
	if (text[0] == '\0' || strcmp(text, "true") == 0 ||
	    strcmp(text, "1") == 0)
		*ret = true;
	else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0)
		*ret = false;
	else
		return errmsg_fail(error, -EINVAL,
				   "\"%.64s\" is not true or false", text);
	return 0;
}

const char *option_path(const char *text)
{
	static const char scheme[] = "file://";

	if (strncmp(text, scheme, sizeof scheme - 1) == 0)
		text += sizeof scheme - 1;
	return text[0] == '/' ? text : NULL;
}

bool option_percent_decode(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++, to++) {
		*to = *text;
		if (*text != '%')
			continue;
		int code = hex_percent(text);

		if (code <= 0)
			return false;
		*to = (char)code;
		text += 2;
	}
	*to = '\0';
	return true;
}
