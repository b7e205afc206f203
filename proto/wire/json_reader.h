/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads JSON (RFC 8259) value by value, in memory of the caller, without
 * allocating.
 *
 * The reader changes the text: it decodes the escapes of a string in place and
 * ends the string with a NUL.  So a caller may use a pointer to the string as
 * long as the text exists.  Strings and numbers are accepted as by json_loadb()
 * of jansson: strings must have no NUL, integers at most 64 bits.
 *
 * After an error the reader sets `error' and returns no further value, so that
 * a caller may check it once, at the end.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_reader {
	char *at;
	const char *end;
	bool comma;        /* the next member or item must follow a comma */
	const char *error; /* NULL: no error */
};

enum json_kind {
	JSON_KIND_NONE, /* the text is wrong here */
	JSON_KIND_OBJECT,
	JSON_KIND_LIST,
	JSON_KIND_STRING,
	JSON_KIND_INTEGER,
	JSON_KIND_REAL, /* only json_read_tree() returns its value */
	JSON_KIND_BOOL,
	JSON_KIND_NULL,
};

struct json_value {
	enum json_kind kind;
	char *text;      /* JSON_KIND_STRING; else NULL */
	int64_t integer; /* JSON_KIND_INTEGER */
	bool is_true;    /* JSON_KIND_BOOL */
};

/* Begins to read the text, which has len bytes and a NUL behind them. */
void json_reader_init(struct json_reader *, char *text, size_t len);

/* Reads the next value.  Of an object or a list it reads only the begin: the
 * caller then reads the members or items. */
struct json_value json_read(struct json_reader *);
/* The key of the next member, whose value follows; NULL: no member follows, or
 * an error. */
const char *json_read_key(struct json_reader *);
/* Does another item of the list follow? */
bool json_read_item(struct json_reader *);
/* Reads the next value as a whole, a new reference; NULL: an error.  A key that
 * occurs twice in an object is an error, too. */
json_t *json_read_tree(struct json_reader *);
/* Reads the end of the text: anything but white space is an error. */
void json_read_end(struct json_reader *);
