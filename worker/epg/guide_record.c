/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_record.h"

#include "common/base/alloc.h"
#include "common/base/utf8.h"
#include "proto/si/bits.h"

#include <stdlib.h>
#include <string.h>

enum {
	STRINGS = 4, /* strings of a language in guide_event.texts, its code
		      * first */
	AGE_MAX = 18,
	RUNNING_MAX = 7,
	DURATION_MAX_S = 166 * 3600,
	STATUS_VERSION = 1,
	STATUS_LEN = 2 + 2 + 2 + 1, /* bytes of the body of a status behind the
				     * id of the stream */
};

/* Appends the low n bytes of the value, big-endian. */
static void put(struct buf *to, uint64_t value, size_t n)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(value >> 8 * (n - 1 - i));
	buf_append(to, bytes, n);
}

void guide_record_write(struct buf *to, const char *stream, uint16_t number,
			const struct guide_event *e)
{
	size_t id = strlen(stream) + 1;

	put(to, GUIDE_RECORD, 1);
	put(to, id + 2 + 4 + 4 + 2 + 5 + e->n_contents + 1 + e->len, 4);
	buf_append(to, stream, id);
	put(to, number, 2);
	put(to, (uint64_t)e->start_s, 4);
	put(to, e->duration_s, 4);
	put(to, e->id, 2);
	put(to, e->running, 1);
	put(to, e->free_ca, 1);
	put(to, e->source == GUIDE_IMPORTED, 1);
	put(to, e->age, 1);
	put(to, e->n_contents, 1);
	buf_append(to, e->contents, e->n_contents);
	put(to, e->n_texts, 1);
	buf_append(to, e->texts, e->len);
	buf_append(to, "\n", 1);
}

/* Are these bytes the strings of n_texts languages, each with its NUL, and none
 * longer than struct eit_text allows? */
static bool are_texts(const char *texts, size_t len, size_t n_texts)
{
	size_t at = 0;

	for (size_t i = 0; i < n_texts * STRINGS; i++) {
		const char *end = memchr(texts + at, '\0', len - at);
		size_t has = end != NULL ? (size_t)(end - (texts + at)) : 0;

		if (end == NULL || has >= (i % STRINGS == 0 ? sizeof(char[4])
						: (size_t)EIT_TEXT_SIZE))
			return false;
		at += has + 1;
	}
	return at == len && utf8_is_valid(texts, len);
}

static bool is_sound(const struct guide_event *e)
{
	return e->duration_s > 0 && e->duration_s <= DURATION_MAX_S &&
	       e->running <= RUNNING_MAX && e->age <= AGE_MAX &&
	       e->n_contents <= EIT_CONTENTS_MAX &&
	       e->n_texts <= EIT_TEXTS_MAX;
}

/* Reads the members in front of the texts; false: the bytes are not an
 * event. */
static bool read_head(struct bits *b, struct guide_event *e)
{
	struct bytes contents;

	e->start_s = (int64_t)bits_take(b, 32);
	e->duration_s = (uint32_t)bits_take(b, 32);
	e->id = (uint16_t)bits_take(b, 16);
	e->running = (uint8_t)bits_take(b, 8);
	e->free_ca = bits_take(b, 8) != 0;
	e->source = bits_take(b, 8) != 0 ? GUIDE_IMPORTED : 0;
	e->age = (uint8_t)bits_take(b, 8);
	e->n_contents = (uint8_t)bits_take(b, 8);
	contents = bits_bytes(b, e->n_contents);
	e->n_texts = (uint8_t)bits_take(b, 8);
	if (b->cut || !is_sound(e))
		return false;
	for (size_t i = 0; i < e->n_contents; i++)
		e->contents[i] = contents.data[i];
	return true;
}

struct guide_event *guide_record_read(const uint8_t *body, size_t len,
				      const char **ret_stream,
				      uint16_t *ret_number)
{
	const uint8_t *end = memchr(body, '\0', len);
	struct guide_event head = { 0 }, *e;
	struct bytes texts;
	struct bits b;

	if (end == NULL || end == body ||
	    !utf8_is_valid(body, (size_t)(end - body)))
		return NULL;
	b = bits_of(end + 1, len - (size_t)(end + 1 - body));
	*ret_number = (uint16_t)bits_take(&b, 16);
	if (!read_head(&b, &head))
		return NULL;
	texts = bits_bytes(&b, bits_left(&b) / 8);
	if (!are_texts((const char *)texts.data, texts.len, head.n_texts))
		return NULL;
	e = xmalloc(sizeof *e + texts.len);
	*e = head;
	e->len = texts.len;
	memcpy(e->texts, texts.data, texts.len);
	*ret_stream = (const char *)body;
	return e;
}

void guide_status_record_write(struct buf *to, const struct guide_status *s)
{
	size_t id = strlen(s->stream) + 1;

	put(to, GUIDE_STATUS_RECORD, 1);
	put(to, 1 + id + STATUS_LEN, 4);
	put(to, STATUS_VERSION, 1);
	buf_append(to, s->stream, id);
	put(to, s->tsid, 2);
	put(to, s->onid, 2);
	put(to, s->number, 2);
	put(to, s->status, 1);
	buf_append(to, "\n", 1);
}

bool guide_status_record_read(const uint8_t *body, size_t len,
			      struct guide_status *ret)
{
	const uint8_t *id = body + 1, *end;
	struct bits b;

	if (len < 1 || body[0] != STATUS_VERSION)
		return false;
	end = memchr(id, '\0', len - 1);
	if (end == NULL || end == id ||
	    !utf8_is_valid(id, (size_t)(end - id)) ||
	    (size_t)(body + len - (end + 1)) != STATUS_LEN)
		return false;
	b = bits_of(end + 1, STATUS_LEN);
	ret->stream = (const char *)id;
	ret->tsid = (uint16_t)bits_take(&b, 16);
	ret->onid = (uint16_t)bits_take(&b, 16);
	ret->number = (uint16_t)bits_take(&b, 16);
	ret->status = (uint8_t)bits_take(&b, 8);
	return ret->number != 0;
}
