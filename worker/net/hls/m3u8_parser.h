/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State and helpers of the playlist parser; only for m3u8*.c. */
#pragma once

#include "worker/net/hls/m3u8.h"

struct m3u8_parser {
	struct m3u8 list;
	struct errmsg *error;
	unsigned line_number;
	size_t segments_size, keys_size; /* allocated */

	/* state of the next segment */
	bool has_duration;
	struct m3u8_segment next;
	bool range_open; /* starts where the last range ended */
	uint32_t key;
	bool keyed; /* the segment has a key in a known format */
	bool has_target;
	uint64_t skipped; /* segments that are not listed */

	/* state of the next variant */
	bool has_variant;
	struct m3u8_variant variant;
};

#define FAIL(p, err, format, ...)                                             \
	errmsg_fail((p)->error, (err), "playlist line %u: " format,            \
		    (p)->line_number, ##__VA_ARGS__)

/* At most 32 bytes of a text, for an error. */
#define SHOWN(t) (int)MIN((t).len, (size_t)32), (t).data

struct m3u8_text m3u8_trim(struct m3u8_text);

/* Cuts the text before the mark, or all, off *rest. */
struct m3u8_text m3u8_cut(struct m3u8_text *rest, char mark);

int m3u8_number(struct m3u8_parser *, struct m3u8_text,
		uint64_t *ret) MUST_CHECK;
/* Seconds with a fraction. */
int m3u8_duration(struct m3u8_parser *, struct m3u8_text,
		  uint32_t *ret) MUST_CHECK;

/* An attribute of a tag and its member in the struct that receives it. */
struct m3u8_attribute {
	const char *name; /* NULL: end of the table */
	enum { M3U8_TEXT, M3U8_NUMBER, M3U8_YES } kind;
	size_t at; /* offset of a struct m3u8_text, a uint64_t or a bool */
};

/* NAME=value,NAME="value" (4.2). Writes known attributes to ret, ignores the
 * others. */
int m3u8_attributes(struct m3u8_parser *, struct m3u8_text rest,
		    const struct m3u8_attribute *known, void *ret) MUST_CHECK;
