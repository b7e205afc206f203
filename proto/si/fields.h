/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes a descriptor by a list of its fields.
 *
 *	static const struct si_field service[] = {
 *		UINT("service_type_id", 8), TEXT8("service_provider"),
 *		TEXT8("service_name"), END
 *	};
 *
 * Only for this folder.
 */
#pragma once

#include "proto/si/codec.h"

enum si_field_kind {
	SI_END,
	SI_ONES,   /* n reserved bits, which are 1 */
	SI_ZEROS,  /* n reserved bits, which are 0 */
	SI_UINT,   /* number of n bits */
	SI_FLAG,   /* boolean of 1 bit */
	SI_WORD,   /* number of n bits; in JSON the word with this index */
	SI_ASCII,  /* n bytes of plain text */
	SI_TEXT,   /* DVB text to the end of the descriptor */
	SI_TEXT8,  /* a length of 1 byte, then DVB text */
	SI_HEX,    /* all bytes to the end; if there are none, no key */
	SI_HEX8,   /* a length of 1 byte, then bytes */
	SI_UINTS,  /* numbers of n bits each, to the end */
	SI_LIST,   /* objects with the fields `fields', to the end */
	SI_LIST8,  /* a length of 1 byte, then objects with `fields' */
	SI_CALL,   /* the function `call' reads and writes it */
};

struct si_field {
	enum si_field_kind kind;
	unsigned n; /* bits; SI_ASCII: bytes */
	const char *name; /* key in JSON */
	const struct si_field *fields;
	const char *const *words; /* 1 << n words */
	void (*call)(struct codec *);
};

#define END { .kind = SI_END }
#define ONES(bits) { .kind = SI_ONES, .n = (bits) }
#define ZEROS(bits) { .kind = SI_ZEROS, .n = (bits) }
#define UINT(key, bits) { .kind = SI_UINT, .n = (bits), .name = (key) }
#define FLAG(key) { .kind = SI_FLAG, .name = (key) }
#define WORD(key, bits, list) \
	{ .kind = SI_WORD, .n = (bits), .name = (key), .words = (list) }
#define ASCII(key, bytes) { .kind = SI_ASCII, .n = (bytes), .name = (key) }
#define TEXT(key) { .kind = SI_TEXT, .name = (key) }
#define TEXT8(key) { .kind = SI_TEXT8, .name = (key) }
#define HEX(key) { .kind = SI_HEX, .name = (key) }
#define HEX8(key) { .kind = SI_HEX8, .name = (key) }
#define UINTS(key, bits) { .kind = SI_UINTS, .n = (bits), .name = (key) }
#define LIST(key, list) { .kind = SI_LIST, .name = (key), .fields = (list) }
#define LIST8(key, list) { .kind = SI_LIST8, .name = (key), .fields = (list) }
#define CALL(fn) { .kind = SI_CALL, .call = (fn) }

/* Reads or writes a descriptor or an item.  fields: its list of struct
 * si_field, ended by END.  Is a codec_fn. */
void fields_run(struct codec *, const void *fields);
