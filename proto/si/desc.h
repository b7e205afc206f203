/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the descriptors of a loop, never beyond its end.
 *
 * Borrows the bytes of the loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tags of descriptors (ISO/IEC 13818-1 2.6, EN 300 468 6.2). */
enum desc_tag {
	DESC_REGISTRATION = 0x05,
	DESC_CA = 0x09,
	DESC_LANGUAGE = 0x0a,
	DESC_AVC_VIDEO = 0x28,
	DESC_HEVC_VIDEO = 0x38,
	DESC_VBI_TELETEXT = 0x46,
	DESC_STREAM_IDENTIFIER = 0x52,
	DESC_TELETEXT = 0x56,
	DESC_SUBTITLING = 0x59,
	DESC_AC3 = 0x6a,
	DESC_APPLICATION_SIGNALLING = 0x6f,
	DESC_EAC3 = 0x7a,
	DESC_DTS = 0x7b,
	DESC_AAC = 0x7c,
	DESC_EXTENSION = 0x7f,
};

struct desc_loop {
	const uint8_t *data;
	size_t len;
};

struct desc {
	uint8_t tag;
	uint8_t len;
	const uint8_t *data; /* the len bytes behind tag and length */
};

/* Takes the first descriptor off the loop.  False: the loop is empty, or its
 * bytes are no whole descriptor. */
static inline bool desc_next(struct desc_loop *loop, struct desc *ret)
{
	if (loop->len < 2 || loop->len - 2 < loop->data[1])
		return false;
	*ret = (struct desc){ .tag = loop->data[0], .len = loop->data[1],
			      .data = loop->data + 2 };
	loop->data += 2 + ret->len;
	loop->len -= 2 + (size_t)ret->len;
	return true;
}

/* Does the loop consist of whole descriptors? */
static inline bool desc_loop_ok(struct desc_loop loop)
{
	struct desc d;

	while (desc_next(&loop, &d))
		;
	return loop.len == 0;
}

/* Writes the PID of a CA descriptor (ISO/IEC 13818-1 2.6.16) to *ret.  False:
 * it is another descriptor, or too short. */
static inline bool desc_ca_pid(const struct desc *d, uint16_t *ret)
{
	if (d->tag != DESC_CA || d->len < 4)
		return false;
	*ret = (uint16_t)((d->data[2] & 0x1f) << 8 | d->data[3]);
	return true;
}

/* Finds the first descriptor with this tag; false: the loop has none. */
static inline bool desc_find(struct desc_loop loop, uint8_t tag,
			     struct desc *ret)
{
	while (desc_next(&loop, ret))
		if (ret->tag == tag)
			return true;
	return false;
}
