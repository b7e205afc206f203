/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the rule of a time zone in the form of POSIX and RFC 8536 3.3.1. */
#include "worker/tables/zone.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum {
	DAY_S = 24 * 3600,
	HOUR_S = 3600,
	DEFAULT_TIME_S = 2 * HOUR_S,
	TIME_MAX_H = 167, /* highest hour of a time (RFC 8536 3.3.1) */
	YEARS_MAX = 100000,
};

/* A change of the offset that occurs once in each year. */
struct yearly {
	/* 'M': weekday `day' (0: Sunday) in week `week' (5: the last one) of
	 * `month'; 'J': day 1 to 365 of the year, without 29 February; 'D': day
	 * 0 to 365 of the year */
	char kind;
	int month, week, day;
	int time_s; /* local time, from the start of that day */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips the name of a zone: "CET" or "<+03>"; false: there is no name. */
static bool skip_name(const char **s)
{
	const char *begin = *s;

	if (*begin == '<') {
		const char *end = strchr(begin, '>');

		*s = end != NULL ? end + 1 : begin;
		return end != NULL;
	}
	while ((**s | 0x20) >= 'a' && (**s | 0x20) <= 'z')
		(*s)++;
	return *s - begin >= 3;
}

static bool take_number(const char **s, int max, int *ret)
{
	int n = 0;

	if (!is_digit(**s))
		return false;
	for (; is_digit(**s); (*s)++) {
		n = n * 10 + (**s - '0');
		if (n > max)
			return false;
	}
	*ret = n;
	return true;
}

/* Reads "[+-]h[:m[:s]]" as seconds; false: it is malformed. */
static bool take_time(const char **s, int *ret)
{
	int sign = **s == '-' ? -1 : 1, hours, part, sum;

	if (**s == '-' || **s == '+')
		(*s)++;
	if (!take_number(s, TIME_MAX_H, &hours))
		return false;
	sum = hours * HOUR_S;
	for (int unit = 60; unit > 0 && **s == ':'; unit /= 60) {
		(*s)++;
		if (!take_number(s, 59, &part))
			return false;
		sum += part * unit;
	}
	*ret = sign * sum;
	return true;
}

/* Reads a yearly change, ",M3.5.0/2"; false: it is malformed. */
static bool take_yearly(const char **s, struct yearly *ret)
{
	bool ok;

	*ret = (struct yearly){ .kind = 'D', .time_s = DEFAULT_TIME_S };
	if (*(*s)++ != ',')
		return false;
	if (**s == 'M' || **s == 'J')
		ret->kind = *(*s)++;
	if (ret->kind == 'M')
		ok = take_number(s, 12, &ret->month) && ret->month > 0 &&
		     *(*s)++ == '.' && take_number(s, 5, &ret->week) &&
		     ret->week > 0 && *(*s)++ == '.' &&
		     take_number(s, 6, &ret->day);
	else
		ok = take_number(s, 365, &ret->day) &&
		     (ret->kind != 'J' || ret->day > 0);
	if (ok && **s == '/') {
		(*s)++;
		ok = take_time(s, &ret->time_s);
	}
	return ok;
}

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days from 1970-01-01 to the first day of a month of the Gregorian calendar.
 */
static int64_t days_to(int64_t year, int month)
{
	static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243,
				      273, 304, 334 };
	int64_t y = year - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 - 719162 +
	       before[month - 1] + (month > 2 && is_leap(year));
}

/* The local time of the change in this year, as seconds since 1970. */
static int64_t local_time(const struct yearly *y, int64_t year)
{
	int64_t day = days_to(year, 1) + y->day;

	if (y->kind == 'J')
		day -= !(is_leap(year) && y->day >= 60);
	if (y->kind == 'M') {
		int64_t first = days_to(year, y->month);
		int64_t next = y->month == 12 ? days_to(year + 1, 1)
					      : days_to(year, y->month + 1);
		/* 1970-01-01 was a Thursday */
		int weekday = (int)((first + 4) % 7);
		int at = (y->day - weekday + 7) % 7 + 7 * (y->week - 1);

		if (at >= next - first)
			at -= 7;
		day = first + at;
	}
	return day * DAY_S + y->time_s;
}

static int64_t year_of(int64_t unix_s)
{
	int64_t year = 1970 + unix_s / (int64_t)(365.2425 * DAY_S);

	while (days_to(year + 1, 1) * DAY_S <= unix_s)
		year++;
	while (days_to(year, 1) * DAY_S > unix_s)
		year--;
	return year;
}

/* Finds the last change up to unix_s, and the first one after unix_s. */
static void find_changes(const struct yearly change[2], const int offset[2],
			 int64_t unix_s, struct zone_offset *ret)
{
	int64_t year = year_of(unix_s), last = INT64_MIN, next = INT64_MAX;

	for (int64_t y = year - 1; y <= year + 1; y++)
		for (int i = 0; i < 2; i++) {
			/* the local time of a change counts in the offset
			 * before it */
			int64_t at = local_time(&change[i], y) - offset[!i];

			if (at <= unix_s && at >= last) {
				last = at;
				ret->offset_s = offset[i];
			} else if (at > unix_s && at < next) {
				next = at;
				ret->next_s = offset[i];
			}
		}
	ret->change_at = next;
	if (ret->next_s == ret->offset_s)
		ret->change_at = 0;
}

int zone_rule_at(const char *rule, int64_t unix_s, struct zone_offset *ret)
{
	struct zone_offset found = { 0 };
	struct yearly change[2]; /* [0]: to daylight saving time; [1]: back */
	int offset[2]; /* [0]: with daylight saving time; [1]: without it */
	const char *s = rule;

	if (!skip_name(&s) || !take_time(&s, &offset[1]))
		return -EBADMSG;
	offset[1] = -offset[1];
	if (*s == '\0') {
		found.offset_s = found.next_s = offset[1];
		*ret = found;
		return 0;
	}
	offset[0] = offset[1] + HOUR_S;
	if (!skip_name(&s) || unix_s < 0 ||
	    unix_s / (365 * (int64_t)DAY_S) > YEARS_MAX)
		return -EBADMSG;
	if (*s != ',') {
		if (!take_time(&s, &offset[0]))
			return -EBADMSG;
		offset[0] = -offset[0];
	}
	if (!take_yearly(&s, &change[0]) || !take_yearly(&s, &change[1]) ||
	    *s != '\0')
		return -EBADMSG;
	find_changes(change, offset, unix_s, &found);
	*ret = found;
	return 0;
}
