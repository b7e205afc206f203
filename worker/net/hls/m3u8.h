/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses an HLS playlist (RFC 8216).
 *
 * The text comes from an untrusted server: every size is bounded, and a grammar
 * error is rejected with a reason. Unknown tags are ignored, as the RFC
 * demands. URIs are not resolved.
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
	M3U8_SIZE_MAX = 2 * 1024 * 1024, /* bytes of a playlist */
	M3U8_LINE_MAX = 16 * 1024, /* bytes of a line */
	M3U8_SEGMENTS_MAX = 32768,
	M3U8_VARIANTS_MAX = 64,
	M3U8_AUDIOS_MAX = 64,
	M3U8_DURATION_MAX_MS = 3600 * 1000,
	M3U8_IV = 16, /* bytes of an initialization vector */
};

/* A part of the parsed text, without a NUL. */
struct m3u8_text {
	const char *data;
	size_t len;
};

enum m3u8_method {
	M3U8_AES_128, /* whole segments are encrypted, in CBC mode */
	M3U8_OTHER,   /* not supported: SAMPLE-AES, or a key system */
};

struct m3u8_key {
	enum m3u8_method method;
	struct m3u8_text name; /* value of METHOD */
	struct m3u8_text uri;
	bool has_iv;           /* false: the IV is the sequence number */
	uint8_t iv[M3U8_IV];
};

struct m3u8_segment {
	struct m3u8_text uri;
	uint32_t duration_ms;
	uint32_t key;       /* 1 + index into keys; 0: not encrypted */
	uint64_t begin_ms;  /* duration of all segments listed before it */
	uint64_t range_at;  /* offset in the resource, in bytes */
	uint64_t range_len; /* bytes of the range; 0: the whole resource */
	bool discontinuity; /* it does not continue the previous segment */
	bool gap;           /* EXT-X-GAP: the segment is not available */
};

struct m3u8_variant {
	struct m3u8_text uri;
	uint64_t bandwidth;     /* bits per second */
	/* GROUP-ID of its audio renditions; "": its own segments have the
	 * audio */
	struct m3u8_text audio;
};

/* An audio rendition (EXT-X-MEDIA, TYPE=AUDIO). */
struct m3u8_audio {
	struct m3u8_text group, name, language;
	/* its playlist; "": the segments of the variant have the audio */
	struct m3u8_text uri;
	bool is_default, autoselect;
};

struct m3u8 {
	bool master;  /* a master playlist: it lists variants, no segments */

	size_t n_variants;
	struct m3u8_variant *variants;
	size_t n_audios;
	struct m3u8_audio *audios;

	uint32_t target_ms; /* EXT-X-TARGETDURATION; without the tag, the
			     * longest duration of a segment */
	uint64_t sequence;  /* sequence number of the first listed segment */
	bool ended;         /* EXT-X-ENDLIST or type VOD: it does not grow */
	bool fragmented;    /* EXT-X-MAP: the segments are MP4 */
	uint64_t all_ms;    /* duration of all segments */
	size_t n_segments;
	struct m3u8_segment *segments;
	size_t n_keys;
	struct m3u8_key *keys;
};

/* True if the data begins like a playlist, or is too short to show that it is
 * none. */
bool m3u8_begins(const void *data, size_t len);

/*
 * Parses a playlist. Borrows text for the life of *ret. 0, or -EINVAL, -EFBIG
 * or -ENOTSUP with error; *ret is written on success only.
 */
int m3u8_parse(const char *text, size_t len, struct m3u8 *ret,
	       struct errmsg *error) MUST_CHECK;
void m3u8_done(struct m3u8 *);

/* Chooses the audio rendition of a variant.  wanted: its language or name; "",
 * or not found: the default rendition.  NULL: the variant has no group of
 * renditions. */
const struct m3u8_audio *m3u8_audio_of(const struct m3u8 *,
				       const struct m3u8_variant *,
				       const char *wanted);

bool m3u8_is(struct m3u8_text, const char *text);
/* True if both texts are equal and not empty. */
bool m3u8_is_same(struct m3u8_text, struct m3u8_text);
