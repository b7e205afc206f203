/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a descriptor by a list of its fields.
 *
 *	static const struct field service[] = {
 *		UINT("service_type_id", 8), TEXT8("service_provider"),
 *		TEXT8("service_name"), END
 *	};
 *
 * Only for the desc_*.c files.
 */
#pragma once

#include "worker/si/json.h"

enum field_kind {
	FIELD_END,
	FIELD_SKIP,   /* n bits that are ignored */
	FIELD_UINT,   /* number of n bits */
	FIELD_FLAG,   /* boolean of 1 bit */
	FIELD_BCD,    /* number of n bits in decimal digits */
	FIELD_WORD,   /* n bits, an index of words */
	FIELD_ASCII,  /* n bytes of plain text */
	FIELD_TEXT,   /* DVB text to the end */
	FIELD_TEXT8,  /* a length of 1 byte, then DVB text */
	FIELD_HEX,    /* all bytes to the end; absent without bytes */
	FIELD_HEX8,   /* a length of 1 byte, then bytes */
	FIELD_UINTS,  /* numbers of n bits each, to the end */
	FIELD_LIST,   /* objects of fields, to the end */
	FIELD_LIST8,  /* a length of 1 byte, then objects of fields */
	FIELD_CALL,   /* parsed by the function call */
};

typedef void field_fn(struct bits *, json_t *object);

struct field {
	enum field_kind kind;
	unsigned n;
	const char *name;
	const struct field *fields;
	const char *const *words; /* 1 << n words */
	field_fn *call;
};

#define END { .kind = FIELD_END }
#define SKIP(bits) { .kind = FIELD_SKIP, .n = (bits) }
#define UINT(key, bits) { .kind = FIELD_UINT, .n = (bits), .name = (key) }
#define FLAG(key) { .kind = FIELD_FLAG, .name = (key) }
#define BCD(key, bits) { .kind = FIELD_BCD, .n = (bits), .name = (key) }
#define WORD(key, bits, list) \
	{ .kind = FIELD_WORD, .n = (bits), .name = (key), .words = (list) }
#define ASCII(key, bytes) { .kind = FIELD_ASCII, .n = (bytes), .name = (key) }
#define TEXT(key) { .kind = FIELD_TEXT, .name = (key) }
#define TEXT8(key) { .kind = FIELD_TEXT8, .name = (key) }
#define HEX(key) { .kind = FIELD_HEX, .name = (key) }
#define HEX8(key) { .kind = FIELD_HEX8, .name = (key) }
#define UINTS(key, bits) { .kind = FIELD_UINTS, .n = (bits), .name = (key) }
#define LIST(key, list) \
	{ .kind = FIELD_LIST, .name = (key), .fields = (list) }
#define LIST8(key, list) \
	{ .kind = FIELD_LIST8, .name = (key), .fields = (list) }
#define CALL(fn) { .kind = FIELD_CALL, .call = (fn) }

/* Reads the fields into the object; sets b->cut when a field is missing. */
void fields_read(const struct field *, struct bits *b, json_t *object);
