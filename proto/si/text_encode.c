/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/utf8.h"
#include "common/base/util.h"
#include "proto/si/charset.h"
#include "proto/si/text.h"

#include <assert.h>
#include <string.h>

enum {
	NEW_LINE = 0x8a,
	WIDE_NEW_LINE = 0xe08a, /* the line break in UTF-8 text */
	PARTS = 15, /* highest part of ISO/IEC 8859 in DVB */
};

struct writer {
	enum text_table table;
	uint8_t *data;
	size_t len;
	size_t size;
	size_t lost; /* characters that the table lacks */
	size_t unknown; /* those of the lost characters that became '?' */
};

/* A character to be written, as a letter with its mark. */
struct letter {
	uint32_t whole; /* single character for both; 0: there is none */
	uint32_t base;  /* the letter without the mark */
	char16_t mark;  /* 0: no mark */
};

/* Appends bytes; false: they do not fit. */
static bool put(struct writer *w, const void *data, size_t len)
{
	if (w->size - w->len < len)
		return false;
	memcpy(w->data + w->len, data, len);
	w->len += len;
	return true;
}

bool text_table_ok(unsigned table)
{
	return table == TEXT_UTF8 || (table <= PARTS && table != 12);
}

/* Writes the bytes that select the table (EN 300 468 tables A.3 and A.4);
 * false: they do not fit. */
static bool put_selector(struct writer *w)
{
	unsigned part = (unsigned)w->table;

	if (w->table == TEXT_ISO_6937)
		return true;
	if (w->table == TEXT_UTF8)
		return put(w, "\x15", 1);
	if (part >= 5)
		return put(w, &(uint8_t){ (uint8_t)(part - 4) }, 1);
	return put(w, (uint8_t[]){ 0x10, 0, (uint8_t)part }, 3);
}

/* Returns the byte for a character in the table of the writer; 0: the table
 * does not have the character. */
static uint8_t find_byte(const struct writer *w, uint32_t c)
{
	const uint16_t *upper = w->table == TEXT_ISO_6937
					? charset_6937
					: charset_8859[w->table];

	if (c < 0x7f)
		return (uint8_t)c;
	for (unsigned i = 0; i < 96; i++)
		if (upper[i] == c && c != 0)
			return (uint8_t)(0xa0 + i);
	return 0;
}

/* Returns ASCII characters that look like this character or mean nearly the
 * same; NULL: none are known. */
static const char *find_stand_in(uint32_t c)
{
	static const struct {
		uint16_t c;
		char like[4];
	} list[] = {
		{ 0x00a0, " " },  { 0x00ab, "\"" }, { 0x00bb, "\"" },
		{ 0x00d0, "D" },  { 0x00d8, "O" },  { 0x00df, "ss" },
		{ 0x00c6, "AE" }, { 0x00e6, "ae" }, { 0x00f0, "d" },
		{ 0x00f8, "o" },  { 0x0111, "d" },  { 0x0131, "i" },
		{ 0x0141, "L" },  { 0x0142, "l" },  { 0x0152, "OE" },
		{ 0x0153, "oe" }, { 0x2010, "-" },  { 0x2011, "-" },
		{ 0x2012, "-" },  { 0x2013, "-" },  { 0x2014, "-" },
		{ 0x2015, "-" },  { 0x2018, "'" },  { 0x2019, "'" },
		{ 0x201a, "'" },  { 0x201c, "\"" }, { 0x201d, "\"" },
		{ 0x201e, "\"" }, { 0x2026, "..." }, { 0x20ac, "EUR" },
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (list[i].c == c)
			return list[i].like;
	return NULL;
}

/* Replaces a letter by a letter of the same form that the tables have: the
 * Romanian letters with comma become those with cedilla, U+0110 becomes U+00D0
 * and U+03A9 becomes U+2126. */
static uint32_t usual(uint32_t c)
{
	switch (c) {
	case 0x0110:
		return 0x00d0;
	case 0x0218:
		return 0x015e;
	case 0x0219:
		return 0x015f;
	case 0x021a:
		return 0x0162;
	case 0x021b:
		return 0x0163;
	case 0x03a9:
		return 0x2126;
	default:
		return c;
	}
}

static bool put_byte_letter(struct writer *w, struct letter *l)
{
	uint8_t byte = find_byte(w, l->whole);
	const char *like;
	char letter;

	if (byte == 0 && usual(l->whole) != l->whole) {
		l->whole = usual(l->whole);
		byte = find_byte(w, l->whole);
	}
	if (l->whole == '\n')
		byte = NEW_LINE;
	if (byte != 0)
		return put(w, &byte, 1);
	if (l->mark == 0 && charset_decompose(l->whole, &letter, &l->mark))
		l->base = (uint8_t)letter;
	byte = l->mark != 0 ? find_byte(w, l->base) : 0;
	if (w->table == TEXT_ISO_6937 && byte != 0)
		return put(w, (uint8_t[]){ charset_6937_lead(l->mark), byte },
			   2);

	w->lost++;
	if (byte != 0)
		return put(w, &byte, 1);
	like = find_stand_in(l->whole);
	if (like == NULL) {
		like = "?";
		w->unknown++;
	}
	return put(w, like, strlen(like));
}

/* Takes one character from the text, and the combining mark if one follows. */
static struct letter take(const char **text, size_t *len)
{
	struct letter l = { 0 };
	uint32_t mark;
	size_t n = utf8_get(*text, *len, &l.base);

	*text += n;
	*len -= n;
	l.whole = l.base;
	if (*len == 0)
		return l;
	n = utf8_get(*text, *len, &mark);
	if (charset_6937_lead(mark) == 0)
		return l;
	*text += n;
	*len -= n;
	l.mark = (char16_t)mark;
	l.whole = charset_compose(l.base, mark);
	return l;
}

/* Writes a letter in the table; false: it does not fit. */
static bool put_letter(struct writer *w, struct letter *l)
{
	char bytes[2 * UTF8_MAX];
	size_t n;

	if ((l->base < 0x20 && l->base != '\n') ||
	    (l->base >= 0x7f && l->base < 0xa0))
		return true; /* a control character is left out */
	if (w->table != TEXT_UTF8)
		return put_byte_letter(w, l);
	if (l->whole == '\n') {
		n = utf8_put(WIDE_NEW_LINE, bytes);
	} else if (l->whole != 0) {
		n = utf8_put(l->whole, bytes);
	} else {
		n = utf8_put(l->base, bytes);
		n += utf8_put(l->mark, bytes + n);
	}
	return put(w, bytes, n);
}

/* Counts the characters that the table lacks; *ret_unknown of them have no
 * replacement but '?'. */
static size_t count_lost(const char *utf8, enum text_table table,
			 size_t *ret_unknown)
{
	uint8_t bytes[2 * UTF8_MAX]; /* room for any letter */
	struct writer w = { .table = table, .data = bytes,
			    .size = sizeof bytes };
	size_t left = strlen(utf8);

	while (left > 0) {
		struct letter l = take(&utf8, &left);

		w.len = 0;
		(void)put_letter(&w, &l);
	}
	*ret_unknown = w.unknown;
	return w.lost;
}

enum text_table text_table_for(const char *utf8, enum text_table wanted)
{
	/* parts that one byte selects precede those that need three */
	static const uint8_t parts[] = { 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 1,
					 2, 3, 4 };
	size_t unknown;

	(void)count_lost(utf8, wanted, &unknown);
	if (unknown == 0)
		return wanted;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (count_lost(utf8, (enum text_table)parts[i], &unknown) == 0)
			return (enum text_table)parts[i];
	return TEXT_UTF8;
}

size_t text_encode(const char *utf8, enum text_table table, uint8_t *ret,
		   size_t size, size_t *ret_lost)
{
	struct writer w = { .table = table, .data = ret, .size = size };
	size_t left = strlen(utf8);
	bool fits = left > 0 && put_selector(&w);

	assert(text_table_ok(table));
	while (fits && left > 0) {
		struct letter l = take(&utf8, &left);

		fits = put_letter(&w, &l);
	}
	if (ret_lost != NULL)
		*ret_lost = w.lost;
	return w.len;
}
