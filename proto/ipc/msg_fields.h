/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes the fields of one JSON object, for the catalogue only.
 *
 * Both sides keep the first fault and go on harmlessly, so that decode and
 * encode of a message read as two lists of fields.  The reader counts what it
 * took: read_end() refuses an object that holds more.  The writer needs no
 * memory but the datagram itself.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* bytes of text a worker may say in one field */
	FIELD_WORD_MAX = 64,
	FIELD_TEXT_MAX = 2048,
	/* what the master says was judged when the configuration was */
	FIELD_ANY_MAX = 65536,
};

struct msg_reader {
	const json_t *object;
	size_t taken;
	int err; /* 0, or the -EBADMSG of the first fault */
	struct errmsg *why;
};

/* value may be NULL (a missing object is a fault). */
struct msg_reader read_begin(const json_t *value, struct errmsg *why);

/* 0 for 0 <= value <= max; the first fault names the key. */
uint64_t read_uint(struct msg_reader *, const char *key, uint64_t min,
		   uint64_t max);
uint32_t read_u32(struct msg_reader *, const char *key);
uint64_t read_u64(struct msg_reader *, const char *key);
bool read_bool(struct msg_reader *, const char *key);
/* Never NULL. */
const char *read_string(struct msg_reader *, const char *key, size_t max);
/* NULL when absent. */
const char *read_string_maybe(struct msg_reader *, const char *key, size_t max);
/* NULL after a fault. */
const json_t *read_object(struct msg_reader *, const char *key);
/* NULL when absent. */
const json_t *read_object_maybe(struct msg_reader *, const char *key);
/* An array of at most max items, or NULL after a fault. */
const json_t *read_list(struct msg_reader *, const char *key, size_t max);

/* The fault, or the first key that nobody asked for. */
int read_end(struct msg_reader *) MUST_CHECK;

struct msg_writer {
	char *data;
	size_t len;
	size_t size;
	bool comma; /* the next field or item follows another */
	bool full;  /* something did not fit: the text is useless */
};

/* key is NULL for the outermost object and for items of a list. */
void write_object(struct msg_writer *, const char *key);
void write_object_end(struct msg_writer *);
void write_list(struct msg_writer *, const char *key);
void write_list_end(struct msg_writer *);

void write_u64(struct msg_writer *, const char *key, uint64_t value);
void write_bool(struct msg_writer *, const char *key, bool value);
/* NULL writes nothing; bytes that are no UTF-8 become '?'. */
void write_string(struct msg_writer *, const char *key, const char *text);
/* NULL writes nothing. */
void write_json(struct msg_writer *, const char *key, const json_t *value);
