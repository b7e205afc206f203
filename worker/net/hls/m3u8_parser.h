/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State and helpers of the playlist parser; only for m3u8*.c. */
#pragma once

#include "worker/net/hls/m3u8.h"

struct m3u8_parser {
	struct m3u8 list;
	struct errmsg *error;
	unsigned line_number;
	/* entries that are allocated at list.segments and list.keys */
	size_t segments_size, keys_size;

	bool has_duration; /* next has its duration */
	struct m3u8_segment next; /* the next segment, until its URI */
	/* the range of next starts where that of the segment before ended */
	bool range_open;
	uint32_t key; /* 1 + index of the current key; 0: not encrypted */
	bool keyed; /* a key for next in a known format was read */
	bool has_target; /* EXT-X-TARGETDURATION was read */
	uint64_t skipped; /* EXT-X-SKIP: segments that are not listed */

	bool has_variant; /* the next URI is that of variant */
	struct m3u8_variant variant;
};

#define FAIL(p, err, format, ...)                                             \
	errmsg_fail((p)->error, (err), "playlist line %u: " format,            \
		    (p)->line_number, ##__VA_ARGS__)

/* Arguments for "%.*s" in an error: at most 32 bytes of a text. */
#define SHOWN(t) (int)MIN((t).len, (size_t)32), (t).data

/* Returns the text without white space at its ends. */
struct m3u8_text m3u8_trim(struct m3u8_text);

/* Returns the text of *rest in front of the mark, and sets *rest to the text
 * behind it.  Without the mark, returns all of *rest. */
struct m3u8_text m3u8_cut(struct m3u8_text *rest, char mark);

int m3u8_number(struct m3u8_parser *, struct m3u8_text,
		uint64_t *ret) MUST_CHECK;
/* Reads seconds with a fraction; *ret: milliseconds. */
int m3u8_duration(struct m3u8_parser *, struct m3u8_text,
		  uint32_t *ret) MUST_CHECK;

/* An attribute of a tag and its member in the struct that receives it. */
struct m3u8_attribute {
	const char *name; /* NULL: end of the table */
	enum { M3U8_TEXT, M3U8_NUMBER, M3U8_YES } kind;
	size_t at; /* offset of a struct m3u8_text, a uint64_t or a bool */
};

/* Reads an attribute list: NAME=value,NAME="value" (RFC 8216, 4.2). Writes
 * known attributes to ret, ignores the others. */
int m3u8_attributes(struct m3u8_parser *, struct m3u8_text rest,
		    const struct m3u8_attribute *known, void *ret) MUST_CHECK;
