/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the fields of one JSON object, for the catalogue only.
 *
 * The reader keeps the first error and continues harmlessly, so that decode of
 * a message reads as a list of fields.  It counts the keys that it took:
 * read_end() refuses an object that holds more.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/wire/json_writer.h"

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
