/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An HLS playlist (RFC 8216) in words: what it lists, and how.
 *
 * Judges what a stranger sent: every size is bounded, and what does not keep
 * to the grammar is refused with a reason.  Unknown tags are passed over, as
 * the RFC asks for.  Addresses stand as they are in the text; nothing is
 * resolved here.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	M3U8_SIZE_MAX = 2 * 1024 * 1024,
	M3U8_LINE_MAX = 16 * 1024,
	M3U8_SEGMENTS_MAX = 32768,
	M3U8_VARIANTS_MAX = 64,
	M3U8_AUDIOS_MAX = 64,
	M3U8_DURATION_MAX_MS = 3600 * 1000,
	M3U8_IV = 16, /* bytes */
};

/* Bytes of the text that was parsed, without a NUL behind them. */
struct m3u8_text {
	const char *data;
	size_t len;
};

enum m3u8_method {
	M3U8_AES_128, /* whole segments, CBC */
	M3U8_OTHER,   /* SAMPLE-AES, or a key system */
};

struct m3u8_key {
	enum m3u8_method method;
	struct m3u8_text name; /* of the method */
	struct m3u8_text uri;
	bool has_iv;           /* else it is the segment's sequence number */
	uint8_t iv[M3U8_IV];
};

struct m3u8_segment {
	struct m3u8_text uri;
	uint32_t duration_ms;
	uint32_t key;       /* index into keys and one; 0: in the clear */
	uint64_t begin_ms;  /* after the begin of the list */
	uint64_t range_at;  /* bytes of the resource */
	uint64_t range_len; /* 0: all of it */
	bool discontinuity; /* does not go on with the one before */
	bool gap;           /* there is nothing to load */
};

struct m3u8_variant {
	struct m3u8_text uri;
	uint64_t bandwidth;     /* bits per second */
	struct m3u8_text audio; /* the group of it; "": within its segments */
};

/* One of those that may be heard with a variant (EXT-X-MEDIA, TYPE=AUDIO). */
struct m3u8_audio {
	struct m3u8_text group, name, language;
	struct m3u8_text uri; /* "": within the variant's own segments */
	bool is_default, autoselect;
};

struct m3u8 {
	bool master;  /* variants, no segments */

	size_t n_variants;
	struct m3u8_variant *variants;
	size_t n_audios;
	struct m3u8_audio *audios;

	uint32_t target_ms; /* no segment is longer */
	uint64_t sequence;  /* of the first segment */
	bool ended;         /* nothing will be added */
	bool fragmented;    /* MP4, by EXT-X-MAP */
	uint64_t all_ms;    /* of all segments */
	size_t n_segments;
	struct m3u8_segment *segments;
	size_t n_keys;
	struct m3u8_key *keys;
};

/* Is it meant to be a playlist?  Of a head that is shorter than the mark:
 * may it become one? */
bool m3u8_begins(const void *data, size_t len);

/*
 * text is borrowed for the life of *ret.  0, or -EINVAL, -EFBIG or -ENOTSUP
 * with why; *ret is written on success only.
 */
int m3u8_parse(const char *text, size_t len, struct m3u8 *ret,
	       struct errmsg *error) MUST_CHECK;
void m3u8_done(struct m3u8 *);

/* The sound of a variant: the one wanted by language or name ("": none is),
 * else the default one; NULL when its own segments have it. */
const struct m3u8_audio *m3u8_sound_of(const struct m3u8 *,
				       const struct m3u8_variant *,
				       const char *wanted);

bool m3u8_is(struct m3u8_text, const char *text);
/* And they are not empty? */
bool m3u8_is_same(struct m3u8_text, struct m3u8_text);
