/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads and reloads the playlist of an HLS input.
 *
 * In a master playlist it chooses the variant with the highest permitted
 * bandwidth, and changes to the next lower one when that fails. After a pause,
 * which grows, it checks the best variant's playlist in parallel, and returns
 * to it when that has new segments. Reloads follow RFC 8216, 6.3.4.
 */
#pragma once

#include "worker/net/hls/m3u8.h"
#include "worker/net/curl/http_body.h"

enum {
	/* Consecutive failures before the variant is changed. */
	HLS_FAILURES_MAX = 3,
	/* A playlist without news for so many target durations, and for
	 * STALL_MIN_MS, is dead. */
	HLS_STALL_TARGETS = 3,
	HLS_STALL_MIN_MS = 10 * 1000,
	/* Pause before a better variant is checked: doubled with each change to
	 * a lower one and each failed check, reset after the best variant has
	 * played twice as long. */
	HLS_RETURN_FIRST_S = 60,
	HLS_RETURN_LAST_S = 960,
};

/* A loaded playlist. */
struct hls_text {
	char *base;     /* its URL; NULL: none */
	uint8_t *data;
	size_t len;
	struct m3u8 list;
};

struct hls_list {
	struct fetcher *fetcher;
	const char *home;       /* URL of the input */
	uint64_t bandwidth;     /* upper limit; 0: none */
	struct http_body body;
	bool loads_master;
	struct hls_text master; /* empty if the input is a media playlist */
	struct hls_text media;
	size_t n_variants;      /* permitted ones */
	size_t order[M3U8_VARIANTS_MAX]; /* indices, best first */
	size_t variant;         /* index into order */
	uint64_t load_ns;       /* time of the next load */
	uint64_t began_ns;      /* start of the last load */
	uint64_t changed_ns;    /* time of the last news */
	unsigned failures;      /* consecutive */
	unsigned return_s;      /* current pause; 0: the best variant plays */
	uint64_t return_ns;     /* time of the next check of the best variant */
	struct http_body better;     /* playlist of the best variant */
	uint64_t better_end;    /* its first end, to compare; 0: not loaded */
	uint64_t risen_ns;      /* the best variant plays since then */
	bool changes;           /* the new variant is not loaded yet */
	bool idle;              /* set by the owner: the buffer is empty */
	struct errmsg error;    /* "": none */
	uint64_t reloads;       /* total */
};

enum hls_list_is {
	HLS_LIST_SAME,
	HLS_LIST_NEW,       /* media was reloaded */
	HLS_LIST_VARIANT,   /* media belongs to another variant */
};

void hls_list_init(struct hls_list *, struct fetcher *, const char *home,
		   uint64_t bandwidth);
void hls_list_done(struct hls_list *);

/* Takes the first response of the input's URL: body, found at url. 0, or -errno
 * with error: cannot be played. */
int hls_list_begin(struct hls_list *, const char *url, struct buf *body,
		   uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Requests the playlists that are due, and takes those that are loaded.
 * Returns whether the media playlist is a new one. */
enum hls_list_is hls_list_turn(struct hls_list *, uint64_t now_ns);

/* Changes to another variant after failed segments; false: there is none. */
bool hls_list_fall(struct hls_list *, uint64_t now_ns);

/* The last media playlist; NULL: none is loaded yet. */
const struct m3u8 *hls_list_media(const struct hls_list *);
/* The audio rendition of the variant, by language or name, if it has its own
 * playlist; else NULL. */
const struct m3u8_audio *hls_list_audio(const struct hls_list *,
					const char *wanted);
/* The bandwidth of the current variant in bits per second; 0: unknown. */
uint64_t hls_list_bandwidth(const struct hls_list *);
