/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/xmltv_time.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { OFFSET_MAX_HOURS = 14 };

/* Reads the next n digits as a number; -1: there are fewer digits. */
static int take_digits(const char **at, unsigned n)
{
	int value = 0;

	for (; n > 0; n--, ++*at) {
		if (!isdigit((unsigned char)**at))
			return -1;
		value = value * 10 + (**at - '0');
	}
	return value;
}

/* Reads the next two digits as a number; 0: no digit follows; -1: a single
 * digit follows. */
static int take_part(const char **at)
{
	return isdigit((unsigned char)**at) ? take_digits(at, 2) : 0;
}

static int read_offset(const char *text, int64_t *ret_s)
{
	int hours, minutes;
	int sign = *text == '-' ? -1 : 1;

	*ret_s = 0;
	if (*text == '\0' || strcasecmp(text, "UTC") == 0 ||
	    strcasecmp(text, "GMT") == 0 || strcasecmp(text, "Z") == 0)
		return 0;
	if (*text != '+' && *text != '-')
		return -EINVAL;
	text++;
	hours = take_digits(&text, 2);
	if (*text == ':')
		text++;
	minutes = take_digits(&text, 2);
	if (hours < 0 || hours > OFFSET_MAX_HOURS || minutes < 0 ||
	    minutes > 59 || *text != '\0')
		return -EINVAL;
	*ret_s = sign * (hours * 3600 + minutes * 60);
	return 0;
}

int xmltv_time_parse(const char *text, int64_t *ret_s)
{
	int year = take_digits(&text, 4), month = take_digits(&text, 2);
	int day = take_digits(&text, 2);
	int hour = take_part(&text), minute = take_part(&text);
	int second = take_part(&text);
	struct tm tm = { .tm_year = year - 1900, .tm_mon = month - 1,
			 .tm_mday = day, .tm_hour = hour, .tm_min = minute,
			 .tm_sec = second };
	const struct tm wanted = tm;
	int64_t offset_s, time_s;

	if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 ||
	    second < 0)
		return -EINVAL;
	text += strspn(text, " ");
	if (read_offset(text, &offset_s) < 0)
		return -EINVAL;
	/* timegm() changes an impossible date such as 31 November to 1
	 * December */
	time_s = timegm(&tm);
	if (tm.tm_year != wanted.tm_year || tm.tm_mon != wanted.tm_mon ||
	    tm.tm_mday != wanted.tm_mday || tm.tm_hour != wanted.tm_hour ||
	    tm.tm_min != wanted.tm_min || tm.tm_sec != wanted.tm_sec)
		return -EINVAL;
	time_s -= offset_s;
	if (time_s < 0 || time_s > UINT32_MAX)
		return -EINVAL;
	*ret_s = time_s;
	return 0;
}
