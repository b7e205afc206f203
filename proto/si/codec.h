/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads bytes of a section into JSON, or writes them from JSON, by one and the
 * same function:
 *
 *	static void run_rating(struct codec *c, const void *arg)
 *	{
 *		codec_ascii(c, "country", 3);
 *		codec_uint(c, "rating", 8);
 *	}
 *	...
 *	codec_list(c, "ratings", run_rating, NULL);
 *
 * A function that reads puts keys into c->object and sets c->in.cut at a
 * missing byte.  A function that writes takes the keys from c->object; at the
 * first wrong value it fills the error, which begins with the path of the
 * value ("services[0].sid: …"), and nothing is written any more.
 *
 * Pure.  For files of this folder only.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/si/bits.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The item of a list that is being written. */
struct codec_path {
	const struct codec_path *up;
	const char *list;
	size_t at;
};

struct codec {
	bool encode;
	json_t *object; /* borrowed; constant while encode */
	struct bits in; /* of the innermost scope */
	struct bit_writer out;
	const struct codec_path *path;
	struct errmsg *error; /* may be NULL */
	bool failed;
};

/* Has the function reached an error? */
static inline bool codec_stopped(const struct codec *c)
{
	return c->encode ? c->failed : c->in.cut;
}

/* Fails with "KEY: SENTENCE". */
void codec_fault(struct codec *, const char *key, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* --- bits without a key: written as value; returns what was read or written */
uint64_t codec_bits(struct codec *, unsigned n, uint64_t value);
/* n bits that are 1. */
void codec_reserved(struct codec *, unsigned n);

/* --- a value of the object --- */

/* Does the object that is written have the key? */
bool codec_has(const struct codec *, const char *key);
/* While writing, the number of the key between 0 and max; else 0. */
uint64_t codec_given(struct codec *, const char *key, uint64_t max);
/* The same, of -max to max. */
int64_t codec_given_signed(struct codec *, const char *key, int64_t max);
/* While writing, the text of the key; else, and after an error, "". */
const char *codec_given_text(struct codec *, const char *key);
/* The list of the key; NULL: there is none, or the object is read. */
const json_t *codec_given_list(struct codec *, const char *key);
/* Puts a number that codec_bits() has read; does nothing while writing. */
void codec_shown(struct codec *, const char *key, int64_t value);

/* --- a field --- */

uint64_t codec_uint(struct codec *, const char *key, unsigned n);
bool codec_flag(struct codec *, const char *key);
/* An index of words, of which there are 1 << n. */
void codec_word(struct codec *, const char *key, unsigned n,
		const char *const *words);
/* n bytes of plain ASCII. */
void codec_ascii(struct codec *, const char *key, unsigned n);
/* ASCII, DVB text and bytes to the end of the scope. */
void codec_ascii_rest(struct codec *, const char *key);
void codec_text(struct codec *, const char *key);
void codec_hex(struct codec *, const char *key);
/* Numbers of n bits to the end of the scope. */
void codec_uints(struct codec *, const char *key, unsigned n);
/* A time (EN 300 468 annex C); the key is absent if it is undefined. */
void codec_time(struct codec *, const char *key);

/* --- parts --- */

/* Is there more to read in the scope, or the key to write? */
bool codec_more(struct codec *, const char *key);

struct codec_scope {
	struct bits outer;
	size_t length_at; /* bits */
	unsigned n;
};

/* A length of n bits, and that many bytes up to codec_end(); key names them in
 * an error. */
struct codec_scope codec_begin(struct codec *, unsigned n);
void codec_end(struct codec *, const struct codec_scope *, const char *key);

typedef void codec_fn(struct codec *, const void *arg);

/* Objects to the end of the scope.  An incomplete object at the end is left
 * out, and the scope is cut. */
void codec_list(struct codec *, const char *key, codec_fn *, const void *arg);
