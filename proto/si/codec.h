/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the bytes of a section into JSON, or writes them from JSON.  One
 * function describes both directions:
 *
 *	static void run_rating(struct codec *c, const void *arg)
 *	{
 *		codec_ascii(c, "country", 3);
 *		codec_uint(c, "rating", 8);
 *	}
 *	...
 *	codec_list(c, "ratings", run_rating, NULL);
 *
 * While the codec reads, such a function puts keys into c->object and sets
 * c->in.cut if a byte is missing.  While it writes, the function gets the keys
 * from c->object; the first wrong value ends the writing and sets the error,
 * which begins with the path of the value ("services[0].sid: …").
 *
 * Pure.  For files of this folder only.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/si/bits.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The place of the list item that is being written, for errors. */
struct codec_path {
	const struct codec_path *up; /* the item around the list; NULL: none */
	const char *list; /* key of the list */
	size_t at; /* index of the item */
};

struct codec {
	bool encode; /* true: writes bytes from JSON; false: reads them */
	json_t *object; /* borrowed; not changed while writing */
	struct bits in; /* reading: the innermost scope (codec_begin()) */
	struct bit_writer out; /* writing */
	const struct codec_path *path;
	struct errmsg *error; /* may be NULL */
	bool failed; /* writing: a value was wrong */
};

/* Has an error ended the reading or writing? */
static inline bool codec_stopped(const struct codec *c)
{
	return c->encode ? c->failed : c->in.cut;
}

/* Ends the writing with the error "PATH.KEY: SENTENCE". */
void codec_fault(struct codec *, const char *key, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* --- bits without a key --- */

/* Reads n bits, or writes the value in n bits; returns the value that was read
 * or written. */
uint64_t codec_bits(struct codec *, unsigned n, uint64_t value);
/* Reads or writes n reserved bits, which are 1. */
void codec_reserved(struct codec *, unsigned n);

/* --- a value of the object --- */

/* While writing: has the object the key?  While reading: false. */
bool codec_has(const struct codec *, const char *key);
/* While writing, the number of the key, between 0 and max; while reading, 0. */
uint64_t codec_given(struct codec *, const char *key, uint64_t max);
/* While writing, the number of the key, between -max and max; while reading,
 * 0. */
int64_t codec_given_signed(struct codec *, const char *key, int64_t max);
/* While writing, the text of the key; while reading, and after an error, "". */
const char *codec_given_text(struct codec *, const char *key);
/* While writing, the list of the key; NULL: the key is missing, which is an
 * error.  While reading, NULL. */
const json_t *codec_given_list(struct codec *, const char *key);
/* While reading, puts a number, which codec_bits() has read, into the object;
 * while writing, does nothing. */
void codec_shown(struct codec *, const char *key, int64_t value);

/* --- a field --- */

/* Reads or writes a number of n bits; returns it. */
uint64_t codec_uint(struct codec *, const char *key, unsigned n);
bool codec_flag(struct codec *, const char *key);
/* Reads or writes a number of n bits, which in JSON is one of 1 << n words; a
 * number whose word is NULL is read as "reserved". */
void codec_word(struct codec *, const char *key, unsigned n,
		const char *const *words);
/* Reads or writes n bytes of plain ASCII. */
void codec_ascii(struct codec *, const char *key, unsigned n);
/* Read or write ASCII, DVB text, or bytes (in JSON as hexadecimal digits) to
 * the end of the scope. */
void codec_ascii_rest(struct codec *, const char *key);
void codec_text(struct codec *, const char *key);
void codec_hex(struct codec *, const char *key);
/* Reads or writes numbers of n bits each to the end of the scope. */
void codec_uints(struct codec *, const char *key, unsigned n);
/* Reads or writes a time of 40 bits (EN 300 468 annex C); a time that is not
 * defined has no key. */
void codec_time(struct codec *, const char *key);

/* --- parts --- */

/* While reading: are bytes left in the scope?  While writing: has the object
 * the key? */
bool codec_more(struct codec *, const char *key);

struct codec_scope {
	struct bits outer; /* reading: the bits behind the scope */
	size_t length_at; /* writing: position of the length, in bits */
	unsigned n; /* bits of the length */
};

/* codec_begin() begins a scope: it reads or writes a length of n bits, which is
 * the number of bytes up to codec_end().  key: names the scope in an error. */
struct codec_scope codec_begin(struct codec *, unsigned n);
void codec_end(struct codec *, const struct codec_scope *, const char *key);

typedef void codec_fn(struct codec *, const void *arg);

/* Reads objects into a list up to the end of the scope (codec_begin()), or
 * writes those of the list; fn handles each.  While reading, an incomplete
 * object at the end is omitted and sets c->in.cut. */
void codec_list(struct codec *, const char *key, codec_fn *, const void *arg);
