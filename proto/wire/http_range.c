/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/http_range.h"

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <strings.h>

/* Reads the digits at *text, which moves behind them.  A number that is too
 * large counts as the largest.  False: there are no digits. */
static bool read_number(const char **text, uint64_t *ret)
{
	const char *p = *text;
	uint64_t n = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		unsigned digit = (unsigned)(*p - '0');

		n = n > (UINT64_MAX - digit) / 10 ? UINT64_MAX
						  : n * 10 + digit;
	}
	if (p == *text)
		return false;
	*text = p;
	*ret = n;
	return true;
}

enum http_range http_range_read(const char *text, uint64_t len,
				uint64_t *ret_start, uint64_t *ret_end)
{
	static const char unit[] = "bytes=";
	uint64_t first = 0, last = UINT64_MAX;
	bool has_first, has_last;

	if (text == NULL || strncasecmp(text, unit, sizeof unit - 1) != 0)
		return HTTP_RANGE_WHOLE;
	text += sizeof unit - 1;
	has_first = read_number(&text, &first);
	if (*text++ != '-')
		return HTTP_RANGE_WHOLE;
	has_last = read_number(&text, &last);
	if (*text != '\0' || (!has_first && !has_last) ||
	    (has_first && has_last && last < first))
		return HTTP_RANGE_WHOLE;
	if (!has_first) {
		/* "bytes=-N": the last N bytes */
		first = len - MIN(len, last);
		last = UINT64_MAX;
	}
	if (first >= len)
		return HTTP_RANGE_NONE;
	*ret_start = first;
	*ret_end = last >= len ? len : last + 1;
	return HTTP_RANGE_PART;
}
