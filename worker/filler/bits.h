/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads consecutive bits, the highest of a byte first, never beyond
 * the end of the memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bit_writer {
	uint8_t *data; /* zeroed by the caller */
	size_t size;   /* bytes */
	size_t at;     /* bits */
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

static inline bool bits_fit(const struct bit_writer *w)
{
	return w->at <= w->size * 8;
}

struct bit_reader {
	const uint8_t *data;
	size_t size; /* bytes */
	size_t at;   /* bits; beyond the end all are 0 */
};

static inline uint32_t bits_get(struct bit_reader *r, unsigned n)
{
	uint32_t value = 0;

	while (n-- > 0) {
		value <<= 1;
		if (r->at < r->size * 8)
			value |= r->data[r->at / 8] >> (7 - r->at % 8) & 1;
		r->at++;
	}
	return value;
}
