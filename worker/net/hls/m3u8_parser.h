/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that read a playlist share; only for m3u8*.c. */
#pragma once

#include "worker/net/hls/m3u8.h"

struct m3u8_parser {
	struct m3u8 list;
	struct errmsg *error;
	unsigned line_number;
	size_t segments_size, keys_size; /* that there is room for */

	/* of the segment to come */
	bool has_duration;
	struct m3u8_segment next;
	bool range_open; /* it begins where the last one ended */
	uint32_t key;
	bool keyed; /* by a key of this segment in a form that we know */
	bool has_target;
	uint64_t skipped; /* segments that are not listed */

	/* of the variant to come */
	bool has_variant;
	struct m3u8_variant variant;
};

#define FAIL(p, err, format, ...)                                             \
	errmsg_fail((p)->error, (err), "playlist line %u: " format,            \
		    (p)->line_number, ##__VA_ARGS__)

/* What of a text can be shown in a sentence. */
#define SHOWN(t) (int)MIN((t).len, (size_t)32), (t).data

struct m3u8_text m3u8_trim(struct m3u8_text);

/* Takes what stands before the mark, or all, off *rest. */
struct m3u8_text m3u8_cut(struct m3u8_text *rest, char mark);

int m3u8_number(struct m3u8_parser *, struct m3u8_text,
		uint64_t *ret) MUST_CHECK;
/* Seconds with a fraction. */
int m3u8_duration(struct m3u8_parser *, struct m3u8_text,
		  uint32_t *ret) MUST_CHECK;

typedef int m3u8_attribute_fn(struct m3u8_parser *, struct m3u8_text name,
			      struct m3u8_text value, void *arg);

/* NAME=value,NAME="value" (4.2); 0, or what take() says. */
int m3u8_attributes(struct m3u8_parser *, struct m3u8_text rest,
		    m3u8_attribute_fn *take, void *arg) MUST_CHECK;

/* Tags of a master playlist, and the address behind EXT-X-STREAM-INF. */
int m3u8_on_variant(struct m3u8_parser *, struct m3u8_text value) MUST_CHECK;
int m3u8_on_media(struct m3u8_parser *, struct m3u8_text value) MUST_CHECK;
void m3u8_add_variant(struct m3u8_parser *, struct m3u8_text uri);
