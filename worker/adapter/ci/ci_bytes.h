/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects of the common interface: a tag, a length field, the value (EN 50221
 * 7.1.1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	CI_LENGTH_MAX = 3,  /* longest length field that is written, in bytes */
	CI_SPDU_MAX = 16384, /* longest object of the session layer from a
			      * module, in bytes */
	CI_SEND_MAX = 2048,  /* longest message to a module, in bytes */
	CI_APDU_TAG = 3,
};

/* A cursor over received bytes. */
struct ci_bytes {
	const uint8_t *data;
	size_t n;
};

/* Takes a length field off the front.  False: the field is incomplete, has more
 * than two bytes, or announces more bytes than follow. */
static inline bool ci_take_length(struct ci_bytes *from, size_t *ret)
{
	size_t width = 0, len;

	if (from->n < 1)
		return false;
	len = from->data[0];
	if (len & 0x80) {
		width = len & 0x7f;
		if (width < 1 || width > 2 || from->n < 1 + width)
			return false;
		len = from->data[1];
		if (width == 2)
			len = len << 8 | from->data[2];
	}
	if (from->n - 1 - width < len)
		return false;
	from->data += 1 + width;
	from->n -= 1 + width;
	*ret = len;
	return true;
}

/* Takes an object whose tag has width bytes (1 or 3) off the front; false: it
 * is incomplete. */
static inline bool ci_take_object(struct ci_bytes *from, size_t width,
				  uint32_t *ret_tag, struct ci_bytes *ret)
{
	struct ci_bytes rest = *from;
	uint32_t tag = 0;
	size_t len;

	if (rest.n < width)
		return false;
	for (size_t i = 0; i < width; i++)
		tag = tag << 8 | rest.data[i];
	rest.data += width;
	rest.n -= width;
	if (!ci_take_length(&rest, &len))
		return false;
	*ret_tag = tag;
	*ret = (struct ci_bytes){ rest.data, len };
	*from = (struct ci_bytes){ rest.data + len, rest.n - len };
	return true;
}

/* Writes a length field (len below 65536) and returns its size. */
static inline size_t ci_put_length(uint8_t *to, size_t len)
{
	if (len < 0x80) {
		to[0] = (uint8_t)len;
		return 1;
	}
	to[0] = 0x82;
	to[1] = (uint8_t)(len >> 8);
	to[2] = (uint8_t)len;
	return 3;
}

/* Writes tag and length field of an application object, and returns their
 * size. */
static inline size_t ci_put_apdu(uint8_t *to, uint32_t tag, size_t len)
{
	to[0] = (uint8_t)(tag >> 16);
	to[1] = (uint8_t)(tag >> 8);
	to[2] = (uint8_t)tag;
	return CI_APDU_TAG + ci_put_length(to + CI_APDU_TAG, len);
}
