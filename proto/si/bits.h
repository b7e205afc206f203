/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes consecutive bit fields, the highest bit of a byte first.
 * Never reads or writes beyond the end: a field that is not whole is read as 0
 * and sets cut; bits for which there is no room are not written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A reader of bit fields; borrows the bytes. */
struct bits {
	const uint8_t *data;
	size_t len;    /* bytes in data */
	size_t pos;    /* bits that were read, at most 8 * len */
	bool cut;      /* a field went beyond the end */
};

struct bytes {
	const uint8_t *data;
	size_t len;
};

static inline struct bits bits_of(const uint8_t *data, size_t len)
{
	return (struct bits){ .data = data, .len = len };
}

static inline size_t bits_left(const struct bits *b)
{
	return 8 * b->len - b->pos;
}

/* Are n bits left?  If not, moves the reader to the end and sets cut. */
static inline bool bits_have(struct bits *b, unsigned n)
{
	if (!b->cut && bits_left(b) >= n)
		return true;
	b->cut = true;
	b->pos = 8 * b->len;
	return false;
}

static inline void bits_skip(struct bits *b, unsigned n)
{
	if (bits_have(b, n))
		b->pos += n;
}

/* Reads the next n bits, n <= 64, as a number. */
static inline uint64_t bits_take(struct bits *b, unsigned n)
{
	uint64_t value = 0;

	if (!bits_have(b, n))
		return 0;
	for (; n > 0; n--, b->pos++)
		value = value << 1 |
			(b->data[b->pos / 8] >> (7 - b->pos % 8) & 1);
	return value;
}

/* Returns the next n bytes, borrowed; skips the remainder of a partly read
 * byte.  If fewer are left, returns no bytes and sets cut. */
static inline struct bytes bits_bytes(struct bits *b, size_t n)
{
	size_t at = (b->pos + 7) / 8;

	if (b->cut || b->len - at < n) {
		b->cut = true;
		b->pos = 8 * b->len;
		return (struct bytes){ b->data + b->len, 0 };
	}
	b->pos = 8 * (at + n);
	return (struct bytes){ b->data + at, n };
}

static inline struct bytes bits_rest(struct bits *b)
{
	return bits_bytes(b, b->len - (b->pos + 7) / 8);
}

static inline bool bits_end(const struct bits *b)
{
	return b->cut || bits_left(b) < 8;
}

struct bit_writer {
	uint8_t *data; /* zeroed by the caller */
	size_t size;   /* bytes of data */
	size_t at;     /* bits that were put; may exceed 8 * size */
};

static inline void bits_put(struct bit_writer *w, unsigned n, uint32_t value)
{
	while (n-- > 0) {
		if (w->at < w->size * 8 && (value >> n & 1))
			w->data[w->at / 8] |= (uint8_t)(0x80 >> w->at % 8);
		w->at++;
	}
}

static inline void bits_align(struct bit_writer *w)
{
	w->at = (w->at + 7) / 8 * 8;
}
