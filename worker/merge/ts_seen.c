/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/merge/ts_seen.h"

#include <stddef.h>

enum { TIME_MASK = 0x1fffffff };

static size_t first_way(uint64_t hash)
{
	return hash % (TS_SEEN / TS_SEEN_WAYS) * TS_SEEN_WAYS;
}

uint32_t ts_seen_age_ms(const struct ts_seen_one *o, uint32_t now_ms)
{
	return o->at_ms == 0 ? TIME_MASK : (now_ms - o->at_ms) & TIME_MASK;
}

const struct ts_seen_one *ts_seen_find(const struct ts_seen *s, uint64_t hash)
{
	const struct ts_seen_one *set = &s->one[first_way(hash)];

	for (size_t i = 0; i < TS_SEEN_WAYS; i++)
		if (set[i].hash == hash >> 32 && set[i].at_ms != 0)
			return &set[i];
	return NULL;
}

void ts_seen_note(struct ts_seen *s, uint64_t hash, unsigned path,
		  uint32_t now_ms)
{
	const struct ts_seen_one *was = ts_seen_find(s, hash);
	struct ts_seen_one *set = &s->one[first_way(hash)], *to = set;

	if (was != NULL)
		to = set + (was - set);
	else
		for (size_t i = 1; i < TS_SEEN_WAYS; i++)
			if (ts_seen_age_ms(&set[i], now_ms) >
			    ts_seen_age_ms(to, now_ms))
				to = &set[i];
	*to = (struct ts_seen_one){ .hash = (uint32_t)(hash >> 32),
				    .at_ms = now_ms & TIME_MASK,
				    .again = was != NULL,
				    .path = path & 3 };
}
