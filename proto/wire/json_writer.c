/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/json_writer.h"

#include <stdio.h>
#include <string.h>

static void put(struct json_writer *w, const char *text, size_t len)
{
	if (w->full || w->size - w->len < len) {
		w->full = true;
		return;
	}
	memcpy(w->data + w->len, text, len);
	w->len += len;
}

static void put_char(struct json_writer *w, char c)
{
	put(w, &c, 1);
}

/* Returns the bytes of the UTF-8 character with which text begins; 0: the bytes
 * are not valid UTF-8 (RFC 3629: no surrogates, no overlong forms, nothing
 * above U+10FFFF). */
static size_t utf8_len(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = s[0] < 0x80 ? 1 :
		     s[0] >= 0xc2 && s[0] <= 0xdf ? 2 :
		     s[0] >= 0xe0 && s[0] <= 0xef ? 3 :
		     s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;

	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

static void put_key(struct json_writer *w, const char *key)
{
	size_t len = key != NULL ? strlen(key) : 0;
	char *to = w->data + w->len;

	if (w->full || w->size - w->len < len + 4) {
		w->full = true;
		return;
	}
	if (w->comma)
		*to++ = ',';
	w->comma = true;
	if (key != NULL) {
		*to++ = '"';
		memcpy(to, key, len);
		to += len;
		*to++ = '"';
		*to++ = ':';
	}
	w->len = (size_t)(to - w->data);
}

static void put_open(struct json_writer *w, const char *key, char bracket)
{
	put_key(w, key);
	put_char(w, bracket);
	w->comma = false;
}

static void put_close(struct json_writer *w, char bracket)
{
	put_char(w, bracket);
	w->comma = true;
}

void write_object(struct json_writer *w, const char *key)
{
	put_open(w, key, '{');
}

void write_object_end(struct json_writer *w)
{
	put_close(w, '}');
}

void write_list(struct json_writer *w, const char *key)
{
	put_open(w, key, '[');
}

void write_list_end(struct json_writer *w)
{
	put_close(w, ']');
}

static void put_number(struct json_writer *w, const char *key, uint64_t value,
		       bool negative)
{
	char digits[24];
	size_t i = sizeof digits;

	do
		digits[--i] = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	if (negative)
		digits[--i] = '-';
	put_key(w, key);
	put(w, digits + i, sizeof digits - i);
}

void write_u64(struct json_writer *w, const char *key, uint64_t value)
{
	put_number(w, key, value > INT64_MAX ? INT64_MAX : value, false);
}

void write_i64(struct json_writer *w, const char *key, int64_t value)
{
	put_number(w, key, value < 0 ? 0 - (uint64_t)value : (uint64_t)value,
		   value < 0);
}

void write_bool(struct json_writer *w, const char *key, bool value)
{
	put_key(w, key);
	if (value)
		put(w, "true", 4);
	else
		put(w, "false", 5);
}

void write_string(struct json_writer *w, const char *key, const char *text)
{
	if (text == NULL)
		return;
	put_key(w, key);
	put_char(w, '"');
	while (*text != '\0') {
		size_t len = 0;
		char escape[8];

		while (text[len] >= 0x20 && text[len] < 0x7f &&
		       text[len] != '"' && text[len] != '\\')
			len++;
		if (len > 0) {
			put(w, text, len);
			text += len;
			continue;
		}
		len = utf8_len(text);
		if (len == 0) {
			put_char(w, '?');
			len = 1;
		} else if (*text == '"' || *text == '\\') {
			put(w, (const char[]){ '\\', *text }, 2);
		} else if ((unsigned char)*text < 0x20) {
			(void)snprintf(escape, sizeof escape, "\\u%04x",
				       (unsigned)*text);
			put(w, escape, 6);
		} else {
			put(w, text, len);
		}
		text += len;
	}
	put_char(w, '"');
}

void write_json(struct json_writer *w, const char *key, const json_t *value)
{
	size_t len;

	if (value == NULL)
		return;
	put_key(w, key);
	len = json_dumpb(value, w->data + w->len, w->size - w->len,
			 JSON_COMPACT | JSON_ENCODE_ANY);
	if (len == 0 || w->size - w->len < len)
		w->full = true;
	else
		w->len += len;
}
