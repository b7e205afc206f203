/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes JSON (RFC 8259) into memory of the caller, without allocating.
 *
 * After an overflow the writer sets `full' and ignores further output, so that
 * a caller checks `full' once, at the end.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_writer {
	char *data;
	size_t len;
	size_t size;
	bool comma; /* a comma is needed in front of the next member or item */
	bool full;  /* the text was too long and is incomplete */
};

/* The key of all functions here is a constant of printable ASCII without '"'
 * and '\'.  It is NULL for the outermost value and for the items of a list. */
void write_object(struct json_writer *, const char *key);
void write_object_end(struct json_writer *);
void write_list(struct json_writer *, const char *key);
void write_list_end(struct json_writer *);

/* Writes a number above INT64_MAX, which readers cannot store, as INT64_MAX. */
void write_u64(struct json_writer *, const char *key, uint64_t value);
void write_i64(struct json_writer *, const char *key, int64_t value);
void write_bool(struct json_writer *, const char *key, bool value);
/* Writes nothing if text is NULL; bytes that are not UTF-8 become '?'. */
void write_string(struct json_writer *, const char *key, const char *text);
/* Writes nothing if value is NULL. */
void write_json(struct json_writer *, const char *key, const json_t *value);
