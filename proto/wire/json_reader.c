/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/json_reader.h"

#include "common/base/hex.h"
#include "common/base/utf8.h"

#include <string.h>

enum { DEPTH_MAX = 2048 /* nested values in a tree, as in jansson */ };

void json_reader_init(struct json_reader *r, char *text, size_t len)
{
	*r = (struct json_reader){ .at = text, .end = text + len };
}

static void fail(struct json_reader *r, const char *error)
{
	if (r->error == NULL)
		r->error = error;
	/* at the NUL behind the text every further read fails, too */
	r->at = (char *)(uintptr_t)r->end;
}

static void skip_space(struct json_reader *r)
{
	while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' ||
	       *r->at == '\r')
		r->at++;
}

/* --- strings --- */

/* The value of four hexadecimal digits; -1: one of them is no digit. */
static int32_t read_unit(const char *digits)
{
	int32_t unit = 0;

	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(digits[i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

/* Reads the digits behind "\u", and the second half of a surrogate pair.
 * Returns the character; 0: the escape is invalid, or is that of NUL. */
static uint32_t read_escaped(struct json_reader *r)
{
	int32_t high = read_unit(r->at), low;

	if (high < 0 || (high >= 0xdc00 && high <= 0xdfff))
		return 0;
	r->at += 4;
	if (high < 0xd800 || high > 0xdbff)
		return (uint32_t)high;
	low = r->at[0] == '\\' && r->at[1] == 'u' ? read_unit(r->at + 2) : -1;
	if (low < 0xdc00 || low > 0xdfff)
		return 0;
	r->at += 6;
	return 0x10000 + ((uint32_t)(high - 0xd800) << 10) +
	       (uint32_t)(low - 0xdc00);
}

/* Decodes the escape behind a backslash to *to; false: it is invalid. */
static bool take_escape(struct json_reader *r, char **to)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name = *r->at != '\0' ? strchr(names, *r->at) : NULL;
	uint32_t character;

	if (name != NULL) {
		*(*to)++ = values[name - names];
		r->at++;
		return true;
	}
	if (*r->at++ != 'u')
		return false;
	character = read_escaped(r);
	*to += character != 0 ? utf8_put(character, *to) : 0;
	return character != 0;
}

static bool is_plain(char c)
{
	return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

/* Reads the rest of a string, whose first quote was read; NULL: an error. */
static char *take_string(struct json_reader *r)
{
	char *text = r->at, *to;
	bool ascii = true;

	while (is_plain(*r->at))
		ascii &= (unsigned char)*r->at++ < 0x80;
	to = r->at;
	while (*r->at != '"') {
		if (*r->at == '\\') {
			r->at++;
			if (!take_escape(r, &to)) {
				fail(r, "invalid escape");
				return NULL;
			}
		} else if (is_plain(*r->at)) {
			ascii &= (unsigned char)*r->at < 0x80;
			*to++ = *r->at++;
		} else {
			fail(r, "a string with a control character, "
				"or without an end");
			return NULL;
		}
	}
	if (!ascii && !utf8_is_valid(text, (size_t)(to - text))) {
		fail(r, "a string that is not UTF-8");
		return NULL;
	}
	r->at++;
	*to = '\0';
	return text;
}

/* --- numbers --- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips digits; false: there is none. */
static bool skip_digits(struct json_reader *r)
{
	const char *begin = r->at;

	while (is_digit(*r->at))
		r->at++;
	return r->at > begin;
}

/* Skips a fraction and an exponent; false: a digit is missing. */
static bool skip_real(struct json_reader *r)
{
	if (*r->at == '.') {
		r->at++;
		if (!skip_digits(r))
			return false;
	}
	if (*r->at != 'e' && *r->at != 'E')
		return true;
	r->at++;
	if (*r->at == '+' || *r->at == '-')
		r->at++;
	return skip_digits(r);
}

static struct json_value take_number(struct json_reader *r)
{
	struct json_value v = { .kind = JSON_KIND_INTEGER };
	bool negative = *r->at == '-', fits = true;
	const char *digits;

	r->at += negative;
	digits = r->at;
	while (is_digit(*r->at)) {
		int digit = *r->at++ - '0';

		fits = fits &&
		       !__builtin_mul_overflow(v.integer, 10, &v.integer) &&
		       !__builtin_add_overflow(v.integer,
					       negative ? -digit : digit,
					       &v.integer);
	}
	if (*r->at == '.' || *r->at == 'e' || *r->at == 'E')
		v = (struct json_value){ .kind = JSON_KIND_REAL };
	if (r->at == digits || (*digits == '0' && is_digit(digits[1])) ||
	    (v.kind == JSON_KIND_REAL && !skip_real(r))) {
		fail(r, "invalid number");
		return (struct json_value){ 0 };
	}
	if (v.kind == JSON_KIND_INTEGER && !fits) {
		fail(r, "too big integer");
		return (struct json_value){ 0 };
	}
	return v;
}

/* --- values --- */

static struct json_value take_word(struct json_reader *r, const char *word,
				   struct json_value v)
{
	size_t len = strlen(word);

	if (strncmp(r->at, word, len) != 0) {
		fail(r, "invalid value");
		return (struct json_value){ 0 };
	}
	r->at += len;
	return v;
}

static struct json_value take_begin(struct json_reader *r, enum json_kind kind)
{
	r->at++;
	r->comma = false;
	return (struct json_value){ .kind = kind };
}

struct json_value json_read(struct json_reader *r)
{
	char *text;

	skip_space(r);
	r->comma = true;
	switch (*r->at) {
	case '{':
		return take_begin(r, JSON_KIND_OBJECT);
	case '[':
		return take_begin(r, JSON_KIND_LIST);
	case '"':
		r->at++;
		text = take_string(r);
		return (struct json_value){
			.kind = text != NULL ? JSON_KIND_STRING
					     : JSON_KIND_NONE,
			.text = text,
		};
	case 't':
		return take_word(r, "true", (struct json_value){
			.kind = JSON_KIND_BOOL, .is_true = true });
	case 'f':
		return take_word(r, "false", (struct json_value){
			.kind = JSON_KIND_BOOL });
	case 'n':
		return take_word(r, "null", (struct json_value){
			.kind = JSON_KIND_NULL });
	default:
		return take_number(r);
	}
}

/* Reads the end of an object or list, or the comma in front of the next member
 * or item.  False: no member or item follows, or an error. */
static bool take_next(struct json_reader *r, char end)
{
	skip_space(r);
	if (*r->at == end) {
		r->at++;
		r->comma = true;
		return false;
	}
	if (r->comma && *r->at != ',') {
		fail(r, "',' or an end expected");
		return false;
	}
	r->at += r->comma;
	r->comma = false;
	return true;
}

const char *json_read_key(struct json_reader *r)
{
	char *key = NULL;

	if (!take_next(r, '}'))
		return NULL;
	skip_space(r);
	if (*r->at == '"') {
		r->at++;
		key = take_string(r);
	}
	skip_space(r);
	if (key == NULL || *r->at != ':') {
		fail(r, "a key and ':' expected");
		return NULL;
	}
	r->at++;
	return key;
}

bool json_read_item(struct json_reader *r)
{
	return take_next(r, ']');
}

/* --- trees --- */

static json_t *build(struct json_reader *r, unsigned depth);

/* Lets jansson read the number, so that it is rounded as by json_loadb(). */
static json_t *build_real(struct json_reader *r, const char *begin)
{
	json_t *real = json_loadb(begin, (size_t)(r->at - begin),
				  JSON_DECODE_ANY, NULL);

	if (real == NULL)
		fail(r, "real number overflow");
	return real;
}

static json_t *build_object(struct json_reader *r, unsigned depth)
{
	json_t *object = json_object();
	const char *key;

	while ((key = json_read_key(r)) != NULL) {
		if (json_object_get(object, key) != NULL)
			fail(r, "duplicate object key");
		else
			(void)json_object_set_new_nocheck(object, key,
							  build(r, depth));
	}
	return object;
}

static json_t *build_list(struct json_reader *r, unsigned depth)
{
	json_t *list = json_array();

	while (json_read_item(r))
		(void)json_array_append_new(list, build(r, depth));
	return list;
}

/* Builds a tree of the next value.  depth: the most levels of objects and lists
 * in it; 0: only a single value.  After an error the tree is incomplete. */
static json_t *build(struct json_reader *r, unsigned depth)
{
	const char *begin = r->at;
	struct json_value v = json_read(r);

	switch (v.kind) {
	case JSON_KIND_OBJECT:
	case JSON_KIND_LIST:
		if (depth == 0)
			fail(r, "maximum parsing depth reached");
		else if (v.kind == JSON_KIND_OBJECT)
			return build_object(r, depth - 1);
		else
			return build_list(r, depth - 1);
		break;
	case JSON_KIND_STRING:
		return json_string_nocheck(v.text);
	case JSON_KIND_INTEGER:
		return json_integer(v.integer);
	case JSON_KIND_REAL:
		return build_real(r, begin);
	case JSON_KIND_BOOL:
		return json_boolean(v.is_true);
	case JSON_KIND_NULL:
		return json_null();
	case JSON_KIND_NONE:
		break;
	}
	return NULL;
}

json_t *json_read_tree(struct json_reader *r)
{
	json_t *tree = build(r, DEPTH_MAX);

	if (r->error == NULL)
		return tree;
	json_decref(tree);
	return NULL;
}

void json_read_end(struct json_reader *r)
{
	skip_space(r);
	if (r->error == NULL && r->at != r->end)
		fail(r, "end of the text expected");
}
