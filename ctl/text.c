/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

static const char MORE[] = "\u2026";

/* Is it a character that only changes the direction of text? */
static bool is_direction(wchar_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Decodes one character.  Returns the number of its bytes; *ret_width is that
 * of its columns.  *ret_sound is false for a character in place of which '?' is
 * printed. */
static size_t next(const char *text, size_t *ret_width, bool *ret_sound)
{
	mbstate_t state = { 0 };
	wchar_t c = 0;
	size_t len = mbrtowc(&c, text, strlen(text), &state);
	bool whole = len != (size_t)-1 && len != (size_t)-2 && len > 0;
	int width = whole ? wcwidth(c) : -1;

	*ret_sound = width >= 0 && !is_direction(c);
	*ret_width = *ret_sound ? (size_t)width : 1;
	return whole ? len : 1;
}

size_t text_width(const char *text)
{
	size_t sum = 0, width;
	bool sound;

	while (*text != '\0') {
		text += next(text, &width, &sound);
		sum += width;
	}
	return sum;
}

/* Appends as much of the text as fits into width columns; returns the columns
 * that it uses. */
static size_t put(struct buf *to, const char *text, size_t width)
{
	size_t used = 0;

	while (*text != '\0') {
		size_t columns;
		bool sound;
		size_t len = next(text, &columns, &sound);

		if (columns > width - used)
			break;
		buf_append(to, sound ? text : "?", sound ? len : 1);
		used += columns;
		text += len;
	}
	return used;
}

static void blanks(struct buf *to, size_t n)
{
	while (n-- > 0)
		buf_append(to, " ", 1);
}

void text_fit(struct buf *to, const char *text, size_t width, int right)
{
	size_t wants = text_width(text);

	if (right && wants < width)
		blanks(to, width - wants);
	if (wants <= width) {
		(void)put(to, text, width);
	} else if (width > 0) {
		size_t used = put(to, text, width - 1);

		buf_append(to, MORE, sizeof MORE - 1);
		blanks(to, width - 1 - used);
	}
	if (!right && wants < width)
		blanks(to, width - wants);
}

void text_plain(struct buf *to, const char *text)
{
	(void)put(to, text, (size_t)-1);
}

void text_rate(char ret[32], int64_t kbit)
{
	if (kbit < 1000)
		(void)snprintf(ret, 32, "%" PRId64 " kbit/s", kbit);
	else
		(void)snprintf(ret, 32, "%.1f Mbit/s", (double)kbit / 1000);
}

void text_clock(char ret[32], int64_t unix_time)
{
	time_t then = (time_t)unix_time, now = time(NULL);
	struct tm a = { 0 }, b = { 0 };

	(void)localtime_r(&then, &a);
	(void)localtime_r(&now, &b);
	(void)strftime(ret, 32, a.tm_yday == b.tm_yday &&
				a.tm_year == b.tm_year ? "%H:%M:%S"
						       : "%Y-%m-%d %H:%M", &a);
}

void text_since(struct buf *to, int64_t unix_time)
{
	char clock[32];

	if (unix_time <= 0)
		return;
	text_clock(clock, unix_time);
	buf_printf(to, " (since %s)", clock);
}

void text_since_both(struct buf *to, int64_t reason, int64_t state,
		     const char *what)
{
	char clock[32], begun[32];

	/* A state and its reason belong together if their times differ by at
	 * most 2 s: one time is enough. */
	if (state <= 0 || reason <= 0 || llabs(reason - state) <= 2) {
		text_since(to, reason > 0 ? reason : state);
		return;
	}
	text_clock(clock, reason);
	text_clock(begun, state);
	buf_printf(to, " (since %s; %s since %s)", clock, what, begun);
}

void text_duration(char ret[32], int64_t seconds)
{
	int64_t minutes = seconds / 60, hours = minutes / 60;

	if (seconds < 120)
		(void)snprintf(ret, 32, "%" PRId64 " s", seconds);
	else if (minutes < 120)
		(void)snprintf(ret, 32, "%" PRId64 " min", minutes);
	else if (hours < 48)
		(void)snprintf(ret, 32, "%" PRId64 " h %" PRId64 " min", hours,
			       minutes % 60);
	else
		(void)snprintf(ret, 32, "%" PRId64 " d %" PRId64 " h",
			       hours / 24, hours % 24);
}

void text_age(char ret[32], int64_t unix_time)
{
	text_duration(ret, MAX((int64_t)time(NULL) - unix_time, 0));
}
