/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_reload.h"

#include <stdlib.h>
#include <string.h>

enum {
	NUMBER_MAX = 16, /* most digits of a number in the query */
	/* longest wait of a request: until the first picture of a stream, and
	 * for the duration of its first segment */
	FIRST_WAIT_MS = 20000,
	/* shortest time limit: the audio of a part may end later than the
	 * part */
	LEAST_WAIT_MS = 5000,
	WAIT_TARGETS = 3, /* target durations that a request may wait */
	RELOAD_TARGETS = 2, /* most target durations between two requests of a
			     * client that plays */
	/* a request may name a part this far ahead of the playlist, in ms of
	 * parts, and at least ADVANCE_MIN parts ahead */
	ADVANCE_MS = 3000,
	ADVANCE_MIN = 3,
};

uint64_t hls_next_number(const struct ring_segments *all)
{
	return all->has_open ? all->open.number
			     : all->list[all->n - 1].number + 1;
}

/* Reads a number.  False: the text is no number. */
static bool read_value(const char *text, uint64_t *ret)
{
	size_t n = strspn(text, "0123456789");

	if (n == 0 || n > NUMBER_MAX || text[n] != '\0')
		return false;
	*ret = strtoull(text, NULL, 10);
	return true;
}

/* The number of complete parts of this segment. */
static uint64_t count_parts(const struct ring_parts *parts, uint64_t number)
{
	for (size_t i = parts->n; i > 0; i--)
		if (parts->list[i - 1].number == number)
			return parts->list[i - 1].index + UINT64_C(1);
	return 0;
}

/* The Advance Part Limit (RFC 8216bis 6.2.5.2): how many parts ahead of the
 * playlist a request may ask for. */
static uint64_t advance(const struct ring_parts *parts)
{
	return MAX(ADVANCE_MS / MAX(parts->target_ms, 1U),
		   (unsigned)ADVANCE_MIN);
}

int hls_reload_judge(const struct http_request *r,
		     const struct ring_segments *all,
		     const struct ring_parts *parts)
{
	uint64_t number, index = 0, next;
	char text[NUMBER_MAX + 1], part[NUMBER_MAX + 1];
	bool has_part = http_request_query_get(r, "_HLS_part", part,
					       sizeof part);

	if (parts == NULL)
		return 200;
	next = hls_next_number(all);
	if (!http_request_query_get(r, "_HLS_msn", text, sizeof text))
		return has_part ? 400 : 200;
	if (!read_value(text, &number) ||
	    (has_part && !read_value(part, &index)) || number > next + 1)
		return 400;
	/* a part behind the last one of its segment is the first one of the
	 * next */
	if (has_part && number + 1 == next && parts->n > 0 &&
	    index >= count_parts(parts, number)) {
		number = next;
		index = 0;
	}
	if (number < next)
		return 200;
	if (has_part && parts->n > 0 && index >= advance(parts) +
	    (number == next ? count_parts(parts, next) : 0))
		return 400;
	return has_part && number == next && index < count_parts(parts, next)
		? 200 : 0;
}

unsigned hls_reload_most_ms(const struct ring_segments *all)
{
	return RELOAD_TARGETS * 1000 * all->target_s;
}

unsigned hls_reload_wait_ms(const struct ring_segments *all)
{
	unsigned ms = WAIT_TARGETS * 1000 * all->target_s;

	if (all->n == 0)
		return FIRST_WAIT_MS;
	return MIN(MAX(ms, (unsigned)LEAST_WAIT_MS), (unsigned)FIRST_WAIT_MS);
}
