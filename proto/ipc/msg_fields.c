/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/msg_fields.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct msg_reader read_begin(const json_t *value, struct errmsg *why)
{
	struct msg_reader r = { .object = value, .why = why };

	if (!json_is_object(value))
		r.err = errmsg_fail(why, -EBADMSG, "not an object");
	return r;
}

/* The value of key; NULL after a fault, which a missing one is if needed. */
static const json_t *take(struct msg_reader *r, const char *key, bool needed)
{
	const json_t *value;

	if (r->err < 0)
		return NULL;
	value = json_object_get(r->object, key);
	if (value != NULL)
		r->taken++;
	else if (needed)
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: missing", key);
	return value;
}

uint64_t read_uint(struct msg_reader *r, const char *key, uint64_t min,
		   uint64_t max)
{
	const json_t *value = take(r, key, true);
	json_int_t n;

	if (value == NULL)
		return 0;
	if (!json_is_integer(value)) {
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: no integer", key);
		return 0;
	}
	n = json_integer_value(value);
	if (n < 0 || (uint64_t)n < min || (uint64_t)n > max) {
		r->err = errmsg_fail(r->why, -EBADMSG,
				     "%s: %lld is out of range", key,
				     (long long)n);
		return 0;
	}
	return (uint64_t)n;
}

uint32_t read_u32(struct msg_reader *r, const char *key)
{
	return (uint32_t)read_uint(r, key, 0, UINT32_MAX);
}

uint64_t read_u64(struct msg_reader *r, const char *key)
{
	return read_uint(r, key, 0, INT64_MAX);
}

bool read_bool(struct msg_reader *r, const char *key)
{
	const json_t *value = take(r, key, true);

	if (value != NULL && !json_is_boolean(value))
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: no boolean", key);
	return json_is_true(value);
}

static const char *judge_string(struct msg_reader *r, const char *key,
				const json_t *value, size_t max)
{
	if (!json_is_string(value))
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: no string", key);
	else if (json_string_length(value) > max)
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: too long", key);
	else
		return json_string_value(value);
	return NULL;
}

const char *read_string(struct msg_reader *r, const char *key, size_t max)
{
	const json_t *value = take(r, key, true);
	const char *text = NULL;

	if (value != NULL)
		text = judge_string(r, key, value, max);
	return text != NULL ? text : "";
}

const char *read_string_maybe(struct msg_reader *r, const char *key, size_t max)
{
	const json_t *value = take(r, key, false);

	return value != NULL ? judge_string(r, key, value, max) : NULL;
}

static const json_t *judge_object(struct msg_reader *r, const char *key,
				  const json_t *value)
{
	if (value == NULL || json_is_object(value))
		return value;
	r->err = errmsg_fail(r->why, -EBADMSG, "%s: no object", key);
	return NULL;
}

const json_t *read_object(struct msg_reader *r, const char *key)
{
	return judge_object(r, key, take(r, key, true));
}

const json_t *read_object_maybe(struct msg_reader *r, const char *key)
{
	return judge_object(r, key, take(r, key, false));
}

const json_t *read_list(struct msg_reader *r, const char *key, size_t max)
{
	const json_t *value = take(r, key, true);

	if (value == NULL)
		return NULL;
	if (!json_is_array(value))
		r->err = errmsg_fail(r->why, -EBADMSG, "%s: no list", key);
	else if (json_array_size(value) > max)
		r->err = errmsg_fail(r->why, -EBADMSG,
				     "%s: more than %zu items", key, max);
	else
		return value;
	return NULL;
}

int read_end(struct msg_reader *r)
{
	if (r->err == 0 && json_object_size(r->object) != r->taken)
		r->err = errmsg_fail(r->why, -EBADMSG, "unknown keys");
	return r->err;
}

static void put(struct msg_writer *w, const char *text, size_t len)
{
	if (w->full || w->size - w->len < len) {
		w->full = true;
		return;
	}
	memcpy(w->data + w->len, text, len);
	w->len += len;
}

static void put_char(struct msg_writer *w, char c)
{
	put(w, &c, 1);
}

/* The length of the UTF-8 character in front of text, 0 when it is none
 * (RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF). */
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

static void put_string(struct msg_writer *w, const char *text)
{
	put_char(w, '"');
	while (*text != '\0') {
		size_t len = utf8_len(text);
		unsigned char c = (unsigned char)*text;
		char escape[8];

		if (len == 0) {
			put_char(w, '?');
			len = 1;
		} else if (c == '"' || c == '\\') {
			put(w, (const char[]){ '\\', *text }, 2);
		} else if (c < 0x20) {
			(void)snprintf(escape, sizeof escape, "\\u%04x", c);
			put(w, escape, 6);
		} else {
			put(w, text, len);
		}
		text += len;
	}
	put_char(w, '"');
}

static void put_key(struct msg_writer *w, const char *key)
{
	if (w->comma)
		put_char(w, ',');
	w->comma = true;
	if (key != NULL) {
		put_string(w, key);
		put_char(w, ':');
	}
}

static void put_open(struct msg_writer *w, const char *key, char bracket)
{
	put_key(w, key);
	put_char(w, bracket);
	w->comma = false;
}

static void put_close(struct msg_writer *w, char bracket)
{
	put_char(w, bracket);
	w->comma = true;
}

void write_object(struct msg_writer *w, const char *key)
{
	put_open(w, key, '{');
}

void write_object_end(struct msg_writer *w)
{
	put_close(w, '}');
}

void write_list(struct msg_writer *w, const char *key)
{
	put_open(w, key, '[');
}

void write_list_end(struct msg_writer *w)
{
	put_close(w, ']');
}

void write_u64(struct msg_writer *w, const char *key, uint64_t value)
{
	char digits[24];
	int len;

	/* a JSON integer ends where the reader's does */
	if (value > INT64_MAX)
		value = INT64_MAX;
	len = snprintf(digits, sizeof digits, "%llu",
		       (unsigned long long)value);
	put_key(w, key);
	put(w, digits, (size_t)len);
}

void write_bool(struct msg_writer *w, const char *key, bool value)
{
	put_key(w, key);
	if (value)
		put(w, "true", 4);
	else
		put(w, "false", 5);
}

void write_string(struct msg_writer *w, const char *key, const char *text)
{
	if (text == NULL)
		return;
	put_key(w, key);
	put_string(w, text);
}

void write_json(struct msg_writer *w, const char *key, const json_t *value)
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
