/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/utf8.h"
#include "common/base/util.h"
#include "proto/si/charset.h"
#include "proto/si/text.h"

#include <string.h>

enum {
	NONE = UTF8_REPLACEMENT,
	SKIP = 0,       /* a control character, which is dropped */
	NEW_LINE = 0x8a,
	/* In the codings of all of Unicode the control codes of DVB (0x80 to
	 * 0x9f) are at this offset (EN 300 468 table A.2). */
	WIDE_CONTROLS = 0xe000,
};

struct input {
	const uint8_t *p;
	const uint8_t *end;
};

struct output {
	char *text;
	size_t len;
	size_t size;
};

/* Takes one character from the input, in which at least one byte is left. */
typedef uint32_t next_fn(struct input *, const void *table);

/* Appends a character in UTF-8; false: the output is full. */
static bool put(struct output *out, uint32_t c)
{
	char bytes[UTF8_MAX];
	size_t n = utf8_put(c, bytes);

	if (out->size - out->len <= n)
		return false;
	memcpy(out->text + out->len, bytes, n);
	out->len += n;
	return true;
}

/* The character for a control code (EN 300 468 tables A.1 and A.2).  Emphasis
 * and reserved codes are dropped. */
static uint32_t control(uint32_t c)
{
	return c == NEW_LINE ? '\n' : SKIP;
}

static uint32_t next_8859(struct input *in, const void *table)
{
	const uint16_t *upper = table;
	uint8_t c = *in->p++;

	if (c < 0x80)
		return c;
	if (c < 0xa0)
		return control(c);
	return upper[c - 0xa0] != 0 ? upper[c - 0xa0] : NONE;
}

static uint32_t next_6937(struct input *in, const void *table)
{
	char16_t mark = charset_6937_mark(*in->p);
	uint32_t whole;

	(void)table;
	if (mark == 0)
		return next_8859(in, charset_6937);
	in->p++;
	whole = charset_compose(in->p < in->end ? *in->p : 0, mark);
	if (whole == 0)
		return mark; /* text_decode_as() puts it behind the letter */
	in->p++;
	return whole;
}

static uint32_t next_two_bytes(struct input *in, const void *table)
{
	const uint16_t (*rows)[94] = table;
	uint8_t c = *in->p++;
	uint16_t found;

	if (c < 0x80)
		return c;
	if (c < 0xa1)
		return control(c);
	if (c == 0xff || in->p == in->end || *in->p < 0xa1 || *in->p == 0xff)
		return NONE;
	found = rows[c - 0xa1][*in->p++ - 0xa1];
	return found != 0 ? found : NONE;
}

static uint32_t wide(uint32_t c)
{
	if (c >= WIDE_CONTROLS + 0x80 && c < WIDE_CONTROLS + 0xa0)
		return control(c - WIDE_CONTROLS);
	return c;
}

static uint32_t next_utf16(struct input *in, const void *table)
{
	uint32_t c, low;

	(void)table;
	if (in->end - in->p < 2) {
		in->p = in->end;
		return NONE;
	}
	c = (uint32_t)in->p[0] << 8 | in->p[1];
	in->p += 2;
	if (c < 0xd800 || c > 0xdbff || in->end - in->p < 2)
		return wide(c); /* put() replaces a surrogate by U+FFFD */
	low = (uint32_t)in->p[0] << 8 | in->p[1];
	if (low < 0xdc00 || low > 0xdfff)
		return NONE;
	in->p += 2;
	return 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
}

static uint32_t next_utf8(struct input *in, const void *table)
{
	uint32_t c;

	(void)table;
	in->p += utf8_get(in->p, (size_t)(in->end - in->p), &c);
	return wide(c);
}

struct coding {
	next_fn *next;
	const void *table;
};

static const uint16_t nothing[96];

/* Returns the coding that the first byte of a text selects (EN 300 468 table
 * A.3). */
static struct coding coding_of(uint8_t selector)
{
	switch (selector) {
	case 0x11:
	case 0x14: /* the characters of Big5, in the code of ISO/IEC 10646 */
		return (struct coding){ next_utf16, NULL };
	case 0x12:
		return (struct coding){ next_two_bytes, charset_ksx1001 };
	case 0x13:
		return (struct coding){ next_two_bytes, charset_gb2312 };
	case 0x15:
		return (struct coding){ next_utf8, NULL };
	default:
		if (selector >= 0x01 && selector <= 0x0b)
			return (struct coding){ next_8859,
						charset_8859[selector + 4] };
		return (struct coding){ next_8859, nothing };
	}
}

static struct coding unnamed_coding(enum text_table table)
{
	if (table == TEXT_UTF8)
		return (struct coding){ next_utf8, NULL };
	if (table == TEXT_ISO_6937)
		return (struct coding){ next_6937, NULL };
	return (struct coding){ next_8859, charset_8859[table] };
}

/* Takes the bytes in front of the text that select its table; returns the
 * coding.  unnamed: the table of a text without such bytes. */
static struct coding select_coding(struct input *in, enum text_table unnamed)
{
	uint8_t first = *in->p;

	if (first >= 0x20)
		return unnamed_coding(unnamed);
	in->p++;
	if (first != 0x10 && first != 0x1f)
		return coding_of(first);
	if (first == 0x1f) {
		/* encoding_type_id, compressed text: one byte is left, which
		 * next_utf16() reads as one U+FFFD */
		in->p = in->end - 1;
		return (struct coding){ next_utf16, NULL };
	}
	if (in->end - in->p < 2) {
		in->p = in->end;
		return coding_of(first);
	}

	unsigned part = (unsigned)in->p[0] << 8 | in->p[1];

	in->p += 2;
	return (struct coding){ next_8859,
				part < 16 ? charset_8859[part] : nothing };
}

size_t text_decode(const uint8_t *data, size_t len, char *ret, size_t size)
{
	return text_decode_as(data, len, TEXT_ISO_6937, ret, size);
}

size_t text_decode_as(const uint8_t *data, size_t len,
		      enum text_table unnamed, char *ret, size_t size)
{
	struct input in = { data, data + len };
	struct output out = { ret, 0, size };
	struct coding coding;
	uint32_t mark = 0;

	ret[0] = '\0';
	if (len == 0)
		return 0;
	coding = select_coding(&in, unnamed);
	while (in.p < in.end) {
		uint32_t c = coding.next(&in, coding.table);
		bool is_control = c < 0x20 || (c >= 0x7f && c < 0xa0) ||
				  c == 0xfeff;

		if (c == 0x85 || c == NEW_LINE)
			c = '\n'; /* 0x85 is the C1 control NEL */
		else if (is_control && c != '\n')
			continue;
		/* in ISO 6937 a mark precedes its letter, in Unicode it follows
		 * the letter */
		if (coding.next == next_6937 && c >= 0x300 && c < 0x370) {
			mark = c;
			continue;
		}
		if (!put(&out, c) || (mark != 0 && !put(&out, mark)))
			break;
		mark = 0;
	}
	ret[out.len] = '\0';
	return out.len;
}
