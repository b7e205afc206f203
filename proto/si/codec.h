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
/* Reads or writes n reserved bits, which are 1. */
void codec_reserved(struct codec *, unsigned n);

/* --- a value of the object --- */

/* While writing: has the object the key?  False while reading. */
bool codec_has(const struct codec *, const char *key);
/* While writing, the number of the key, between 0 and max; while reading, 0. */
uint64_t codec_given(struct codec *, const char *key, uint64_t max);
/* While writing, the number of the key, between -max and max; while reading,
 * 0. */
int64_t codec_given_signed(struct codec *, const char *key, int64_t max);
/* While writing, the text of the key; while reading, and after an error, "". */
const char *codec_given_text(struct codec *, const char *key);
/* While writing, the list of the key; NULL: the object lacks it, or is read. */
const json_t *codec_given_list(struct codec *, const char *key);
/* Puts a number that codec_bits() has read; does nothing while writing. */
void codec_shown(struct codec *, const char *key, int64_t value);

/* --- a field --- */

uint64_t codec_uint(struct codec *, const char *key, unsigned n);
bool codec_flag(struct codec *, const char *key);
/* Reads or writes a number of n bits that is shown as one of 1 << n words. */
void codec_word(struct codec *, const char *key, unsigned n,
		const char *const *words);
/* Reads or writes n bytes of plain ASCII. */
void codec_ascii(struct codec *, const char *key, unsigned n);
/* Read or write ASCII, DVB text, or bytes in hex to the end of the scope. */
void codec_ascii_rest(struct codec *, const char *key);
void codec_text(struct codec *, const char *key);
void codec_hex(struct codec *, const char *key);
/* Reads or writes numbers of n bits each to the end of the scope. */
void codec_uints(struct codec *, const char *key, unsigned n);
/* Reads or writes a time (EN 300 468 annex C); without the key the time is
 * undefined. */
void codec_time(struct codec *, const char *key);

/* --- parts --- */

/* While reading: are bytes left in the scope?  While writing: has the object
 * the key? */
bool codec_more(struct codec *, const char *key);

struct codec_scope {
	struct bits outer;
	size_t length_at; /* bits */
	unsigned n;
};

/* Begins a scope: a length of n bits, and that many bytes up to codec_end(),
 * where key names the scope in an error. */
struct codec_scope codec_begin(struct codec *, unsigned n);
void codec_end(struct codec *, const struct codec_scope *, const char *key);

typedef void codec_fn(struct codec *, const void *arg);

/* Reads or writes a list of objects to the end of the scope.  An incomplete
 * object at the end is left out, and the scope is cut. */
void codec_list(struct codec *, const char *key, codec_fn *, const void *arg);
