/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/eit.h"

#include "common/base/utf8.h"
#include "proto/si/json.h"
#include "proto/si/text.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <errno.h>
#include <string.h>

enum {
	HEADER = 14, /* bytes up to the end of last_table_id */
	CRC = 4,
	SHORT_EVENT = 0x4d,
	EXTENDED_EVENT = 0x4e,
	CONTENT = 0x54,
	PARENTAL_RATING = 0x55,
	PARTS = 16, /* descriptor_number of an extended event is below this */
};

int eit_open(const uint8_t *section, size_t len, struct eit *ret)
{
	struct bits b = bits_of(section, HEADER);
	struct eit e = { 0 };

	if (len < HEADER + CRC || section_length(section) != len ||
	    !section_has_syntax(section) || section[0] < EIT_TABLE_ID ||
	    section[0] > EIT_LAST_TABLE_ID)
		return -EBADMSG;
	e.table_id = (uint8_t)bits_take(&b, 8);
	e.schedule = e.table_id >= EIT_SCHEDULE_TABLE_ID;
	e.actual = e.table_id != EIT_OTHER_TABLE_ID &&
		   e.table_id <= EIT_SCHEDULE_LAST_TABLE_ID;
	bits_skip(&b, 16);
	e.sid = (uint16_t)bits_take(&b, 16);
	bits_skip(&b, 2);
	e.version = (uint8_t)bits_take(&b, 5);
	e.current = bits_take(&b, 1) != 0;
	e.number = (uint8_t)bits_take(&b, 8);
	e.last_number = (uint8_t)bits_take(&b, 8);
	e.tsid = (uint16_t)bits_take(&b, 16);
	e.onid = (uint16_t)bits_take(&b, 16);
	e.segment_last = (uint8_t)bits_take(&b, 8);
	e.last_table_id = (uint8_t)bits_take(&b, 8);
	e.events = bits_of(section + HEADER, len - HEADER - CRC);
	*ret = e;
	return 0;
}

bool eit_next(struct bits *b, struct eit_event *ret)
{
	struct eit_event event = { 0 };
	uint64_t start, duration;
	struct bytes loop;

	if (b->cut || bits_left(b) == 0)
		return false;
	event.id = (uint16_t)bits_take(b, 16);
	start = bits_take(b, 40);
	duration = bits_take(b, 24);
	event.running = (uint8_t)bits_take(b, 3);
	event.free_ca = bits_take(b, 1) != 0;
	loop = bits_bytes(b, (size_t)bits_take(b, 12));
	if (b->cut)
		return false;
	event.has_start = si_time(start, &event.start_s);
	event.has_duration = si_duration(duration, &event.duration_s);
	event.descriptors = (struct desc_loop){ loop.data, loop.len };
	*ret = event;
	return true;
}

/* --- descriptors --- */

/* The texts in this language, which are added if they are new; NULL: there are
 * EIT_TEXTS_MAX languages already. */
static struct eit_text *text_of(struct eit_facts *f, struct bytes lang)
{
	char name[4] = "und";
	struct eit_text *t;

	for (size_t i = 0; i < lang.len && i < 3; i++)
		name[i] = lang.data[i] >= 'A' && lang.data[i] <= 'Z'
				  ? (char)(lang.data[i] - 'A' + 'a')
			  : lang.data[i] >= 'a' && lang.data[i] <= 'z'
				  ? (char)lang.data[i]
				  : '?';
	for (size_t i = 0; i < f->n_texts; i++)
		if (strcmp(f->texts[i].lang, name) == 0)
			return &f->texts[i];
	if (f->n_texts == EIT_TEXTS_MAX)
		return NULL;
	t = &f->texts[f->n_texts++];
	memcpy(t->lang, name, sizeof name);
	t->title[0] = t->summary[0] = t->details[0] = '\0';
	return t;
}

static void append(struct eit_facts *f, char *to, struct bytes dvb)
{
	size_t have = strlen(to), room = EIT_TEXT_SIZE - have;

	if (text_is_compressed(dvb.data, dvb.len)) {
		f->compressed += !text_dictionary_has(f->dictionary, dvb.data,
						      dvb.len);
		have = text_dictionary_decode(f->dictionary, dvb.data, dvb.len,
					      to + have, room);
		f->cut += room - have <= UTF8_MAX;
		return;
	}
	f->cut += TEXT_UTF8_SIZE(dvb.len) > room;
	(void)text_decode_as(dvb.data, dvb.len, f->unnamed, to + have,
			     room);
}

static void append_plain(char *to, const char *ascii)
{
	size_t have = strlen(to), len = strlen(ascii);

	if (len < EIT_TEXT_SIZE - have)
		memcpy(to + have, ascii, len + 1);
}

static struct bytes take_text8(struct bits *b)
{
	return bits_bytes(b, (size_t)bits_take(b, 8));
}

static void read_short(struct eit_facts *f, struct bits b)
{
	struct bytes lang = bits_bytes(&b, 3);
	struct bytes title = take_text8(&b), summary = take_text8(&b);
	struct eit_text *t = b.cut ? NULL : text_of(f, lang);

	f->cut += b.cut;
	if (t == NULL || t->title[0] != '\0')
		return;
	append(f, t->title, title);
	append(f, t->summary, summary);
}

static void read_items(struct eit_facts *f, struct eit_text *t, struct bits b)
{
	while (!bits_end(&b)) {
		struct bytes name = take_text8(&b), item = take_text8(&b);

		if (b.cut)
			break;
		if (t->details[0] != '\0')
			append_plain(t->details, "\n");
		append(f, t->details, name);
		if (name.len > 0)
			append_plain(t->details, ": ");
		append(f, t->details, item);
	}
	f->cut += b.cut;
}

/* Reads one part of an extended event: its items (items true), or its text. */
static void read_extended(struct eit_facts *f, struct bits b, bool items)
{
	struct bytes lang, list, text;
	struct eit_text *t;

	bits_skip(&b, 8);
	lang = bits_bytes(&b, 3);
	list = take_text8(&b);
	text = take_text8(&b);
	t = b.cut ? NULL : text_of(f, lang);
	f->cut += b.cut;
	if (t == NULL)
		return;
	if (items)
		read_items(f, t, bits_of(list.data, list.len));
	else
		append(f, t->details, text);
}

/* Reads the parts of an extended event in their order, first all texts, then
 * all items. */
static void read_all_extended(struct eit_facts *f, struct desc_loop loop)
{
	for (unsigned pass = 0; pass < 2 * PARTS; pass++) {
		struct desc_loop rest = loop;
		struct desc d;

		while (desc_next(&rest, &d))
			if (d.tag == EXTENDED_EVENT && d.len > 0 &&
			    d.data[0] >> 4 == pass % PARTS)
				read_extended(f, bits_of(d.data, d.len),
					      pass >= PARTS);
	}
}

static void read_contents(struct eit_facts *f, const struct desc *d)
{
	for (size_t i = 0; i + 2 <= d->len; i += 2)
		if (f->n_contents < EIT_CONTENTS_MAX)
			f->contents[f->n_contents++] = d->data[i];
}

/* Reads the parental ratings: a value from 1 to 15 is the age in years minus
 * 3. */
static void read_ratings(struct eit_facts *f, const struct desc *d)
{
	for (size_t i = 0; i + 4 <= d->len; i += 4) {
		uint8_t rating = d->data[i + 3];

		if (rating < 0x01 || rating > 0x0f)
			continue;
		if (f->age == 0 || rating + 3 < f->age)
			f->age = (uint8_t)(rating + 3);
	}
}

void eit_facts_read(struct desc_loop loop, struct eit_facts *ret)
{
	struct desc_loop rest = loop;
	struct desc d;

	ret->n_texts = ret->n_contents = ret->cut = ret->compressed = 0;
	ret->age = 0;
	while (desc_next(&rest, &d)) {
		if (d.tag == SHORT_EVENT)
			read_short(ret, bits_of(d.data, d.len));
		else if (d.tag == CONTENT)
			read_contents(ret, &d);
		else if (d.tag == PARENTAL_RATING)
			read_ratings(ret, &d);
	}
	read_all_extended(ret, loop);
}
