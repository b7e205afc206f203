/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/codec.h"

#include "common/base/alloc.h"
#include "common/base/hex.h"
#include "proto/si/json.h"
#include "proto/si/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TIME_BITS = 40,
	TEXT_MAX = 1024, /* bytes; more than a length of 8 bits can count */
};

void codec_fault(struct codec *c, const char *key, const char *format, ...)
{
	char text[200];
	va_list args;

	if (c->failed)
		return;
	c->failed = true;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	errmsg_set(c->error, "%s: %s", key, text);
	for (const struct codec_path *p = c->path; p != NULL; p = p->up)
		errmsg_prefix(c->error, "%s[%zu].", p->list, p->at);
}

/* --- bits --- */

uint64_t codec_bits(struct codec *c, unsigned n, uint64_t value)
{
	if (!c->encode)
		return bits_take(&c->in, n);
	if (c->failed)
		return 0;
	if (n < 64)
		value &= ((uint64_t)1 << n) - 1;
	if (n > 32)
		bits_put(&c->out, n - 32, (uint32_t)(value >> 32));
	bits_put(&c->out, MIN(n, 32), (uint32_t)value);
	return value;
}

void codec_reserved(struct codec *c, unsigned n)
{
	(void)codec_bits(c, n, UINT64_MAX);
}

/* --- values --- */

bool codec_has(const struct codec *c, const char *key)
{
	return c->encode && json_object_get(c->object, key) != NULL;
}

/* While writing, returns the value of a key that the object must have; NULL:
 * the key is missing, which is an error, or an error was before.  While
 * reading, returns NULL. */
static const json_t *get(struct codec *c, const char *key)
{
	const json_t *value;

	if (!c->encode || c->failed)
		return NULL;
	value = json_object_get(c->object, key);
	if (value == NULL)
		codec_fault(c, key, "is missing");
	return value;
}

static int64_t get_number(struct codec *c, const char *key, int64_t min,
			  uint64_t max)
{
	const json_t *value = get(c, key);
	json_int_t n = json_integer_value(value);

	if (value == NULL)
		return 0;
	if (!json_is_integer(value)) {
		codec_fault(c, key, "is not a whole number");
		return 0;
	}
	if (n < min || (n > 0 && (uint64_t)n > max)) {
		codec_fault(c, key, "%lld is not between %lld and %llu",
			    (long long)n, (long long)min,
			    (unsigned long long)max);
		return 0;
	}
	return n;
}

uint64_t codec_given(struct codec *c, const char *key, uint64_t max)
{
	return (uint64_t)get_number(c, key, 0, max);
}

int64_t codec_given_signed(struct codec *c, const char *key, int64_t max)
{
	return get_number(c, key, -max, (uint64_t)max);
}

const char *codec_given_text(struct codec *c, const char *key)
{
	const json_t *value = get(c, key);

	if (value == NULL)
		return "";
	if (!json_is_string(value)) {
		codec_fault(c, key, "is not a text");
		return "";
	}
	return json_string_value(value);
}

const json_t *codec_given_list(struct codec *c, const char *key)
{
	const json_t *list = get(c, key);

	if (list != NULL && !json_is_array(list))
		codec_fault(c, key, "is not a list");
	return c->failed ? NULL : list;
}

void codec_shown(struct codec *c, const char *key, int64_t value)
{
	if (!c->encode)
		(void)json_object_set_new(c->object, key,
					  json_integer(value));
}

/* --- fields --- */

static uint64_t max_of(unsigned n)
{
	return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

uint64_t codec_uint(struct codec *c, const char *key, unsigned n)
{
	uint64_t value = codec_bits(c, n, codec_given(c, key, max_of(n)));

	codec_shown(c, key, (int64_t)value);
	return value;
}

bool codec_flag(struct codec *c, const char *key)
{
	const json_t *given = get(c, key);
	bool flag;

	if (given != NULL && !json_is_boolean(given))
		codec_fault(c, key, "is neither true nor false");
	flag = codec_bits(c, 1, json_is_true(given)) != 0;
	if (!c->encode)
		si_put_bool(c->object, key, flag);
	return flag;
}

void codec_word(struct codec *c, const char *key, unsigned n,
		const char *const *words)
{
	const char *given = codec_given_text(c, key), *word;
	uint64_t value = 0;

	if (c->encode) {
		while (value <= max_of(n) &&
		       (words[value] == NULL ||
			strcmp(words[value], given) != 0))
			value++;
		if (value > max_of(n))
			codec_fault(c, key, "\"%.40s\" is not a word for it",
				    given);
	}
	word = words[codec_bits(c, n, value) & max_of(n)];
	if (!c->encode)
		si_put_string(c->object, key, word ? word : "reserved");
}

static void put_bytes(struct codec *c, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		(void)codec_bits(c, 8, data[i]);
}

/* Writes the text of the key as ASCII; n: its exact length, 0: any. */
static void put_ascii(struct codec *c, const char *key, size_t n)
{
	const char *text = codec_given_text(c, key);
	size_t len = strlen(text);

	if (n > 0 && len != n)
		codec_fault(c, key, "has %zu bytes instead of %zu", len, n);
	put_bytes(c, (const uint8_t *)text, MIN(len, (size_t)TEXT_MAX));
}

void codec_ascii(struct codec *c, const char *key, unsigned n)
{
	if (c->encode)
		put_ascii(c, key, n);
	else
		si_put_ascii(c->object, key, bits_bytes(&c->in, n));
}

void codec_ascii_rest(struct codec *c, const char *key)
{
	if (c->encode)
		put_ascii(c, key, 0);
	else
		si_put_ascii(c->object, key, bits_rest(&c->in));
}

void codec_text(struct codec *c, const char *key)
{
	uint8_t bytes[TEXT_MAX];
	const char *text;
	size_t len;

	if (!c->encode) {
		si_put_text(c->object, key, bits_rest(&c->in));
		return;
	}
	text = codec_given_text(c, key);
	/* a bound, because text_table_for() reads the text several times */
	if (strlen(text) > TEXT_MAX) {
		codec_fault(c, key, "is longer than %d bytes", TEXT_MAX);
		return;
	}
	len = text_encode(text, text_table_for(text, TEXT_ISO_6937), bytes,
			  sizeof bytes, NULL);
	put_bytes(c, bytes, len);
}

void codec_hex(struct codec *c, const char *key)
{
	const char *text;
	size_t n;

	if (!c->encode) {
		si_put_hex(c->object, key, bits_rest(&c->in));
		return;
	}
	text = codec_given_text(c, key);
	n = strlen(text) / 2;
	if (2 * n != strlen(text))
		codec_fault(c, key, "has half a byte at its end");
	for (size_t i = 0; i < n && !c->failed; i++) {
		uint8_t byte;

		if (!hex_read(text + 2 * i, &byte, 1)) {
			codec_fault(c, key, "has a character at %zu that is "
				    "no hexadecimal digit", 2 * i);
			return;
		}
		put_bytes(c, &byte, 1);
	}
}

/* True if the section is too long, which is an error, or another error was
 * before: then the loop over a list ends. */
static bool is_full(struct codec *c, const char *key)
{
	if (c->out.at > 8 * c->out.size)
		codec_fault(c, key, "is longer than the section, which has "
			    "%zu bytes at most", c->out.size);
	return c->failed;
}

void codec_uints(struct codec *c, const char *key, unsigned n)
{
	const json_t *list, *value;
	json_t *made;

	if (!c->encode) {
		made = si_put_list(c->object, key);
		while (!c->in.cut && bits_left(&c->in) >= n)
			(void)json_array_append_new(
				made, json_integer((json_int_t)bits_take(
					      &c->in, n)));
		return;
	}
	list = codec_given_list(c, key);
	for (size_t i = 0; i < json_array_size(list); i++) {
		value = json_array_get(list, i);
		if (!json_is_integer(value) || json_integer_value(value) < 0 ||
		    (uint64_t)json_integer_value(value) > max_of(n))
			codec_fault(c, key, "item %zu is not a number between "
				    "0 and %llu", i,
				    (unsigned long long)max_of(n));
		(void)codec_bits(c, n, (uint64_t)json_integer_value(value));
		if (is_full(c, key))
			break;
	}
}

void codec_time(struct codec *c, const char *key)
{
	uint64_t bits = UINT64_MAX;

	if (codec_has(c, key))
		bits = si_to_time(codec_given(c, key, SI_TIME_MAX));
	bits = codec_bits(c, TIME_BITS, bits);
	if (!c->encode)
		si_put_time(c->object, key, bits);
}

/* --- parts --- */

bool codec_more(struct codec *c, const char *key)
{
	return c->encode ? codec_has(c, key) : !bits_end(&c->in);
}

struct codec_scope codec_begin(struct codec *c, unsigned n)
{
	struct codec_scope s = { .n = n };
	struct bytes bytes;

	if (c->encode) {
		s.length_at = c->out.at;
		c->out.at += n;
		return s;
	}
	bytes = bits_bytes(&c->in, (size_t)bits_take(&c->in, n));
	s.outer = c->in;
	c->in = bits_of(bytes.data, bytes.len);
	c->in.cut = s.outer.cut;
	return s;
}

void codec_end(struct codec *c, const struct codec_scope *s, const char *key)
{
	size_t end = c->out.at, len = (end - s->length_at - s->n) / 8;
	bool cut = c->in.cut;

	if (!c->encode) {
		c->in = s->outer;
		c->in.cut |= cut;
		return;
	}
	if (len > max_of(s->n))
		codec_fault(c, key, "has %zu bytes, and at most %llu fit", len,
			    (unsigned long long)max_of(s->n));
	if (c->failed)
		return;
	c->out.at = s->length_at;
	bits_put(&c->out, s->n, (uint32_t)len);
	c->out.at = end;
}

static void read_list(struct codec *c, const char *key, codec_fn *fn,
		      const void *arg)
{
	json_t *object = c->object, *list = si_put_list(object, key);

	while (!bits_end(&c->in)) {
		c->object = json_object();
		fn(c, arg);
		if (c->in.cut)
			json_decref(c->object);
		else
			(void)json_array_append_new(list, c->object);
	}
	c->object = object;
	/* bits that are left belong to an incomplete object */
	c->in.cut |= bits_left(&c->in) > 0;
}

void codec_list(struct codec *c, const char *key, codec_fn *fn,
		const void *arg)
{
	struct codec_path path = { c->path, key, 0 };
	json_t *object = c->object;
	const json_t *list;

	if (!c->encode) {
		read_list(c, key, fn, arg);
		return;
	}
	list = codec_given_list(c, key);
	for (; path.at < json_array_size(list) && !c->failed; path.at++) {
		c->object = json_array_get(list, path.at);
		if (!json_is_object(c->object))
			codec_fault(c, key, "item %zu is not an object",
				    path.at);
		c->path = &path;
		fn(c, arg);
		c->path = path.up;
		(void)is_full(c, key);
	}
	c->object = object;
}
