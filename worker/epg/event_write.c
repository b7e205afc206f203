/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/event_write.h"

#include "worker/tables/time_build.h"

#include <string.h>

enum {
	SHORT_EVENT = 0x4d,
	EXTENDED_EVENT = 0x4e,
	CONTENT = 0x54,
	PARENTAL_RATING = 0x55,
	DESC_HEAD = 2,
	DESC_MAX = 255, /* bytes of a descriptor behind DESC_HEAD */
	SHORT_FRAME = 5, /* bytes of the language and of two lengths */
	EXTENDED_FRAME = 6, /* bytes of the numbers, the language and two
			     * lengths */
	PARTS_MAX = 16,
	RATING_OFFSET = 3, /* a rating is an age in years minus this */
};

/* The strings of a language in guide_event.texts. */
enum text { LANG, TITLE, SUMMARY, DETAILS, TEXTS };

/* A text in UTF-8 that is written in parts, in a character table. */
struct source {
	const char *text; /* the part that is not written yet */
	enum text_table table;
};

static struct source source_of(const char *text, const struct event_format *f)
{
	return (struct source){ text, text_table_for(text, f->table) };
}

/* May the text be cut in front of this byte?  It is not cut within a character,
 * or between a letter and its combining mark (U+0300 to U+036F). */
static bool is_boundary(const char *at)
{
	uint8_t first = (uint8_t)at[0];

	if ((first & 0xc0) == 0x80 || first == 0xcc)
		return false;
	return first != 0xcd || (uint8_t)at[1] > 0xaf;
}

/* Encodes the first len bytes of the text in its character table; returns the
 * number of bytes of the result. */
static size_t encode(const struct source *s, size_t len, uint8_t *ret,
		     size_t size)
{
	char part[4 * DESC_MAX + 1];

	memcpy(part, s->text, len);
	part[len] = '\0';
	return text_encode(part, s->table, ret, size, NULL);
}

/* Encodes and removes as much of the front of the text as has room in size
 * bytes (at most DESC_MAX).  Returns the number of bytes written. */
static size_t take_part(struct source *s, uint8_t *ret, size_t size)
{
	uint8_t trial[16 * DESC_MAX];
	size_t left = strnlen(s->text, 4 * (size_t)DESC_MAX), low = 0;
	size_t high = left, len;

	/* find the longest front part that has room */
	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (encode(s, middle, trial, sizeof trial) <= size)
			low = middle;
		else
			high = middle - 1;
	}
	while (low > 0 && !is_boundary(s->text + low))
		low--;
	len = encode(s, low, ret, size);
	s->text += low;
	return len;
}

static void put_short(struct section_writer *w, const struct event_format *f,
		      const char *const texts[TEXTS], size_t *cut)
{
	struct source title = source_of(texts[TITLE], f);
	struct source summary = source_of(texts[SUMMARY], f);
	const size_t room = DESC_MAX - SHORT_FRAME;
	uint8_t first[DESC_MAX], second[DESC_MAX];
	size_t a = take_part(&title, first, room);
	size_t b = take_part(&summary, second, room - a);

	*cut += title.text[0] != '\0';
	*cut += summary.text[0] != '\0';
	if (!write_fits(w, DESC_HEAD + SHORT_FRAME + a + b)) {
		*cut += 1;
		return;
	}
	write_u8(w, SHORT_EVENT);
	write_u8(w, (unsigned)(SHORT_FRAME + a + b));
	write_bytes(w, texts[LANG], 3);
	write_u8(w, (unsigned)a);
	write_bytes(w, first, a);
	write_u8(w, (unsigned)b);
	write_bytes(w, second, b);
}

/* Writes the details in several descriptors.  Each has the number of the last
 * descriptor, which is known only at the end, and is set then. */
static void put_extended(struct section_writer *w,
			 const struct event_format *f,
			 const char *const texts[TEXTS], size_t *cut)
{
	struct source s = source_of(texts[DETAILS], f);
	size_t places[PARTS_MAX];
	unsigned n = 0;

	while (s.text[0] != '\0' && n < PARTS_MAX) {
		uint8_t part[DESC_MAX];
		size_t room = w->limit - w->len, len;

		if (room < DESC_HEAD + EXTENDED_FRAME + 16)
			break;
		len = take_part(&s, part,
				MIN(room - DESC_HEAD, (size_t)DESC_MAX) -
					EXTENDED_FRAME);
		if (len == 0)
			break;
		write_u8(w, EXTENDED_EVENT);
		write_u8(w, (unsigned)(EXTENDED_FRAME + len));
		places[n++] = w->len;
		write_u8(w, 0);
		write_bytes(w, texts[LANG], 3);
		write_u8(w, 0); /* no items */
		write_u8(w, (unsigned)len);
		write_bytes(w, part, len);
	}
	*cut += s.text[0] != '\0';
	for (unsigned i = 0; i < n; i++)
		w->data[places[i]] = (uint8_t)(i << 4 | (n - 1));
}

/* Writes the titles of all languages before any details, so that long details
 * do not displace a title. */
static void put_texts(struct section_writer *w, const struct guide_event *e,
		      const struct event_format *f, size_t *cut)
{
	const char *texts[EIT_TEXTS_MAX][TEXTS], *at = e->texts;
	size_t n = MIN((size_t)e->n_texts, (size_t)EIT_TEXTS_MAX);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < TEXTS; k++) {
			texts[i][k] = at;
			at += strlen(at) + 1;
		}
		if (strlen(texts[i][LANG]) != 3)
			texts[i][LANG] = "und";
		if (texts[i][TITLE][0] != '\0' ||
		    texts[i][SUMMARY][0] != '\0')
			put_short(w, f, texts[i], cut);
	}
	for (size_t i = 0; i < n; i++)
		put_extended(w, f, texts[i], cut);
}

static void put_facts(struct section_writer *w, const struct guide_event *e,
		      const struct event_format *f)
{
	if (e->n_contents > 0) {
		write_u8(w, CONTENT);
		write_u8(w, 2U * e->n_contents);
	}
	for (size_t i = 0; i < e->n_contents; i++) {
		write_u8(w, e->contents[i]);
		write_u8(w, 0);
	}
	if (e->age <= RATING_OFFSET || f->country[0] == '\0')
		return;
	write_u8(w, PARENTAL_RATING);
	write_u8(w, 4);
	write_bytes(w, f->country, 3);
	write_u8(w, e->age - RATING_OFFSET);
}

size_t event_write(const struct guide_event *e, const struct event_format *f,
		   unsigned running, uint8_t ret[EVENT_MAX], size_t *cut)
{
	struct section_writer w = { .data = ret, .limit = EVENT_MAX };
	size_t loop;

	write_u16(&w, e->id);
	write_time(&w, e->start_s);
	write_duration(&w, e->duration_s);
	write_u16(&w, 0);
	put_facts(&w, e, f);
	put_texts(&w, e, f, cut);
	loop = w.len - EVENT_HEAD;
	ret[EVENT_HEAD - 2] = (uint8_t)(running << 5 | e->free_ca << 4 |
					loop >> 8);
	ret[EVENT_HEAD - 1] = (uint8_t)loop;
	return w.len;
}
