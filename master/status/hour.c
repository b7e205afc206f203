/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/hour.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum {
	KNOWN = 1, ONAIR = 2, SCRAMBLED = 4,
	DRIFT_S = 2,
	SET_BACK_S = 5,
};

struct chunk {
	uint32_t bitrate_kbps[HOUR_CHUNK_SECONDS];
	uint16_t cc_error[HOUR_CHUNK_SECONDS];
	uint16_t pes_error[HOUR_CHUNK_SECONDS];
	uint8_t input[HOUR_CHUNK_SECONDS];
	uint8_t flags[HOUR_CHUNK_SECONDS]; /* 0: the second is unknown */
};

_Static_assert(HOUR_LAYOUT == 1 && sizeof(struct chunk) == 3000,
	       "another layout of the chunks needs another HOUR_LAYOUT");

struct hour {
	/* each for HOUR_CHUNK_SECONDS; NULL: all these seconds are unknown */
	struct chunk *chunks[HOUR_CHUNKS];
	int64_t last_s; /* Unix time of the newest sample */
	size_t n;       /* number of seconds, at most HOUR_SECONDS */
};

/* Returns the index of the second at this Unix time, from 0 to
 * HOUR_SECONDS - 1. */
static size_t place_of(int64_t time_s)
{
	return (size_t)(time_s % HOUR_SECONDS);
}

static void clear(struct hour *h)
{
	for (size_t i = 0; i < HOUR_CHUNKS; i++) {
		free(h->chunks[i]);
		h->chunks[i] = NULL;
	}
	h->n = 0;
}

struct hour *hour_new(void)
{
	return xcalloc(1, sizeof(struct hour));
}

void hour_free(struct hour **p)
{
	struct hour *h = *p;

	*p = NULL;
	if (h == NULL)
		return;
	clear(h);
	free(h);
}

/* Makes the second at time_s, which is later than the last one, the new last
 * second. */
static void advance(struct hour *h, int64_t time_s)
{
	/* the seconds between the former last second and time_s are unknown */
	for (int64_t t = h->last_s + 1; t < time_s && h->n > 0; t++) {
		size_t at = place_of(t);
		struct chunk *c = h->chunks[at / HOUR_CHUNK_SECONDS];

		if (c != NULL)
			c->flags[at % HOUR_CHUNK_SECONDS] = 0;
	}
	h->n = h->n > 0 ? MIN(h->n + (size_t)(time_s - h->last_s),
			      (size_t)HOUR_SECONDS)
			: 1;
	h->last_s = time_s;
}

static void store(struct hour *h, const struct hour_sample *s)
{
	size_t at = place_of(h->last_s), i = at % HOUR_CHUNK_SECONDS;
	struct chunk **c = &h->chunks[at / HOUR_CHUNK_SECONDS];

	if (*c == NULL)
		*c = xcalloc(1, sizeof **c);
	(*c)->bitrate_kbps[i] = s->bitrate_kbps;
	(*c)->cc_error[i] = (uint16_t)MIN(s->cc_error, UINT16_MAX);
	(*c)->pes_error[i] = (uint16_t)MIN(s->pes_error, UINT16_MAX);
	(*c)->input[i] = (uint8_t)MIN(s->input, UINT8_MAX);
	(*c)->flags[i] = (uint8_t)(KNOWN | (s->onair ? ONAIR : 0) |
				   (s->scrambled ? SCRAMBLED : 0));
}

/* Replaces the last second by s, with the sum of the errors of both. */
static void merge(struct hour *h, const struct hour_sample *s)
{
	size_t at = place_of(h->last_s), i = at % HOUR_CHUNK_SECONDS;
	const struct chunk *c = h->chunks[at / HOUR_CHUNK_SECONDS];
	struct hour_sample both = *s;

	both.cc_error = MIN(both.cc_error, UINT16_MAX) + c->cc_error[i];
	both.pes_error = MIN(both.pes_error, UINT16_MAX) + c->pes_error[i];
	store(h, &both);
}

void hour_add(struct hour *h, int64_t time_s, const struct hour_sample *s)
{
	int64_t lead = h->last_s + 1 - time_s;

	if (time_s <= 0)
		return;
	if (h->n > 0 && (lead > SET_BACK_S || -lead >= HOUR_SECONDS - 1))
		clear(h);
	if (h->n > 0 && lead >= DRIFT_S) {
		merge(h, s);
		return;
	}
	advance(h, h->n > 0 && lead > -DRIFT_S ? h->last_s + 1 : time_s);
	store(h, s);
}

void hour_amend(struct hour *h, const struct hour_sample *s)
{
	if (h->n > 0)
		store(h, s);
}

size_t hour_memory(const struct hour *h)
{
	return sizeof *h + hour_size(h);
}

enum { COLUMNS = 6 };

/* Appends the second at time_s to each column. */
static void report_second(const struct hour *h, int64_t time_s,
			  json_t *const columns[COLUMNS])
{
	size_t at = place_of(time_s), i = at % HOUR_CHUNK_SECONDS;
	const struct chunk *c = h->chunks[at / HOUR_CHUNK_SECONDS];
	bool known = c != NULL && c->flags[i] & KNOWN;

	if (!known) {
		for (size_t k = 0; k < COLUMNS; k++)
			(void)json_array_append_new(columns[k], json_null());
		return;
	}
	(void)json_array_append_new(columns[0],
				    json_integer(c->bitrate_kbps[i]));
	(void)json_array_append_new(columns[1], json_integer(c->cc_error[i]));
	(void)json_array_append_new(columns[2], json_integer(c->pes_error[i]));
	(void)json_array_append_new(columns[3],
				    json_boolean(c->flags[i] & SCRAMBLED));
	(void)json_array_append_new(columns[4],
				    json_boolean(c->flags[i] & ONAIR));
	(void)json_array_append_new(columns[5], json_integer(c->input[i]));
}

json_t *hour_report(const struct hour *h, int64_t since_s, int64_t now_s)
{
	static const char *const names[COLUMNS] = {
		"bitrate", "cc_error", "pes_error", "scrambled", "onair",
		"input",
	};
	int64_t first = h->last_s + 1 - (int64_t)h->n;
	json_t *columns[COLUMNS], *all = json_object();

	first = MIN(MAX(first, since_s < INT64_MAX ? since_s + 1 : since_s),
		    h->last_s + 1);
	if (h->n == 0)
		first = now_s;
	for (size_t k = 0; k < COLUMNS; k++) {
		columns[k] = json_array();
		(void)json_object_set_new(all, names[k], columns[k]);
	}
	for (int64_t t = first; t <= h->last_s && h->n > 0; t++)
		report_second(h, t, columns);
	return json_pack("{s:I, s:o}", "first", (json_int_t)first, "columns",
			 all);
}

/* --- from master to master --- */

size_t hour_size(const struct hour *h)
{
	size_t n = 0;

	for (size_t i = 0; i < HOUR_CHUNKS; i++)
		n += h->chunks[i] != NULL;
	return n * sizeof(struct chunk);
}

json_t *hour_write(const struct hour *h, uint8_t *to)
{
	unsigned chunks = 0;

	for (size_t i = 0; i < HOUR_CHUNKS; i++) {
		if (h->chunks[i] == NULL)
			continue;
		chunks |= 1U << i;
		memcpy(to, h->chunks[i], sizeof *h->chunks[i]);
		to += sizeof *h->chunks[i];
	}
	return json_pack("{s:I, s:i, s:i}", "last", (json_int_t)h->last_s,
			 "seconds", (int)h->n, "chunks", (int)chunks);
}

struct record {
	json_int_t last_s, n, chunks;
};

static bool read_record(const json_t *from, struct record *ret)
{
	ret->last_s = json_integer_value(json_object_get(from, "last"));
	ret->n = json_integer_value(json_object_get(from, "seconds"));
	ret->chunks = json_integer_value(json_object_get(from, "chunks"));
	/* valid only if the record has the chunk of the last second */
	return ret->last_s > 0 && ret->last_s < INT64_MAX - HOUR_SECONDS &&
	       ret->n > 0 && ret->n <= HOUR_SECONDS && ret->chunks > 0 &&
	       ret->chunks < 1 << HOUR_CHUNKS &&
	       ret->chunks >> place_of(ret->last_s) / HOUR_CHUNK_SECONDS & 1;
}

size_t hour_size_of(const json_t *from)
{
	struct record r;

	if (!read_record(from, &r))
		return 0;
	return (size_t)__builtin_popcount((unsigned)r.chunks) *
	       sizeof(struct chunk);
}

void hour_take(struct hour *h, const json_t *from, const uint8_t *bytes)
{
	struct record r;

	if (h->n > 0 || !read_record(from, &r))
		return;
	for (size_t i = 0; i < HOUR_CHUNKS; i++) {
		if ((r.chunks >> i & 1) == 0)
			continue;
		h->chunks[i] = xcalloc(1, sizeof *h->chunks[i]);
		memcpy(h->chunks[i], bytes, sizeof *h->chunks[i]);
		bytes += sizeof *h->chunks[i];
	}
	h->last_s = r.last_s;
	h->n = (size_t)r.n;
}
