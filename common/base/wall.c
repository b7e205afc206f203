/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/wall.h"

#include "common/base/units.h"

#include <time.h>

uint64_t wall_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return timespec_ns(&now);
}

uint64_t wall_ms(void)
{
	return wall_ns() / MS;
}

void wall_format(char text[WALL_TEXT_MAX])
{
	wall_format_at(time(NULL), text);
}

void wall_format_at(int64_t at_s, char text[WALL_TEXT_MAX])
{
	const time_t at = (time_t)at_s;
	struct tm tm;

	if (localtime_r(&at, &tm) == NULL ||
	    strftime(text, WALL_TEXT_MAX, "%Y-%m-%d %H:%M:%S %Z", &tm) == 0)
		text[0] = '\0';
}
