/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the master playlist (RFC 8216) of a group: its variants are the
 * streams with the same hls_group.
 *
 * hls_header of a stream has attributes of its EXT-X-STREAM-INF, such as
 * CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=1280x720.  They replace those that
 * were measured.
 *
 * Pure.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/errmsg.h"
#include "common/base/ring_segment.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	VARIANTS_MAX = 32, /* variants of a group */
	VARIANT_HEADER_MAX = 512,
	/* A variant is dead if no segment has ended for this number of target
	 * durations and for VARIANT_DEAD_MS. */
	VARIANT_TARGETS = 3,
	VARIANT_DEAD_MS = 10000,
};

struct variant {
	const char *id;     /* id of the stream */
	const char *header; /* hls_header; "": none */
	/* Peak and mean rate of the segments, in bit/s; 0: unknown. */
	uint64_t peak_bps, average_bps;
	bool independent;   /* each segment begins with a random access point */
	const char *codecs; /* names by RFC 6381; NULL or "": unknown */
	unsigned width, height; /* of the picture, in pixels; 0: unknown */
};

/* Returns 0: the header is a list of attributes; or -EINVAL with a sentence. */
int variant_header_check(const char *header, struct errmsg *error) MUST_CHECK;

/* Measures the segments of a ring; false: the variant is dead. */
bool variant_measure(struct variant *, const struct ring_segments *,
		     int64_t wall_ms);

/* True: the variant has BANDWIDTH, the attribute that is required. */
bool variant_has_rate(const struct variant *);

/* Writes the group of a path, "news" of "/play/news/master.m3u8"; false: it is
 * another path. */
bool variant_group_of(const char *path, char *ret, size_t size);

struct variant_list {
	const struct variant *all;
	size_t n;
	/* Query for each address, raw, without _HLS_ parameters; "": none. */
	const char *query;
	/* session for the names of the playlists; 0: common names */
	uint64_t session;
};

/* Appends the master playlist with these variants. */
void variant_list_write(struct buf *, const struct variant_list *);
