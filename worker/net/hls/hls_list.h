/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads and reloads the playlist of an HLS input.
 *
 * In a master playlist it chooses the variant with the highest permitted
 * bandwidth. If that variant fails, it changes to the next lower one. After a
 * pause, which grows with each change, it loads the playlist of the best
 * variant in parallel, and returns to that variant if its playlist has new
 * segments. Reloads follow RFC 8216, 6.3.4.
 */
#pragma once

#include "worker/net/hls/m3u8.h"
#include "worker/net/curl/http_body.h"

enum {
	/* Consecutive failed loads before the variant is changed. */
	HLS_FAILURES_MAX = 3,
	/* A playlist fails if it has no new segments for this many target
	 * durations, and for HLS_STALL_MIN_MS. */
	HLS_STALL_TARGETS = 3,
	HLS_STALL_MIN_MS = 10 * 1000,
	/* First and longest pause before the best variant is checked. The pause
	 * is doubled with each change to a lower variant and each failed check,
	 * and reset after the best variant has played twice as long. */
	HLS_RETURN_FIRST_S = 60,
	HLS_RETURN_LAST_S = 960,
};

/* A loaded playlist. */
struct hls_text {
	char *base;     /* URL of the playlist; NULL: none is loaded */
	uint8_t *data;  /* the text */
	size_t len;     /* bytes of the text */
	struct m3u8 list; /* the parsed text, which it borrows */
};

struct hls_list {
	struct fetcher *fetcher;
	const char *home;       /* URL of the input */
	uint64_t bandwidth;     /* highest permitted bit/s; 0: no limit */
	struct http_body body;  /* the playlist that is being loaded */
	bool loads_master;      /* the next load is that of the input's URL */
	struct hls_text master; /* empty if the input is a media playlist */
	struct hls_text media;  /* the last media playlist */
	size_t n_variants;      /* variants in order; 0: no master playlist */
	/* indexes in master.list.variants, the highest bandwidth first */
	size_t order[M3U8_VARIANTS_MAX];
	size_t variant;         /* current variant, as an index in order */
	uint64_t load_ns;       /* time of the next load */
	uint64_t began_ns;      /* start of the last load */
	uint64_t changed_ns;    /* time of the last change of the playlist */
	unsigned failures;      /* consecutive failed loads */
	/* current pause before a check of the best variant; 0: none is needed,
	 * because the best variant plays */
	unsigned return_s;
	uint64_t return_ns;     /* time of the next check of the best variant */
	struct http_body better; /* playlist of the best variant */
	/* sequence number after the last segment in the first load of better;
	 * 0: not loaded yet */
	uint64_t better_end;
	uint64_t risen_ns;      /* since when the best variant plays */
	bool changes;           /* the new variant is not loaded yet */
	bool idle;              /* set by the owner: no listed segment is left
				 * to load */
	struct errmsg error;    /* "": none */
	uint64_t reloads;       /* number of loads so far */
};

enum hls_list_is {
	HLS_LIST_SAME,      /* media was not loaded again */
	HLS_LIST_NEW,       /* media was reloaded */
	HLS_LIST_VARIANT,   /* media belongs to another variant */
};

void hls_list_init(struct hls_list *, struct fetcher *, const char *home,
		   uint64_t bandwidth);
void hls_list_done(struct hls_list *);

/* Takes the first response to the input's URL. body: the playlist (taken); url:
 * its URL after redirects. 0, or -errno with error: it cannot be played. */
int hls_list_begin(struct hls_list *, const char *url, struct buf *body,
		   uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Requests the playlists that are due, and takes loaded ones.  Returns whether
 * media was reloaded or belongs to another variant. */
enum hls_list_is hls_list_turn(struct hls_list *, uint64_t now_ns);

/* Call it after a failed segment or failed loads: changes to the next lower
 * variant.  From the lowest one, reloads the master playlist.  False: there is
 * no other variant. */
bool hls_list_fall(struct hls_list *, uint64_t now_ns);

/* The last media playlist of the variant; NULL: none is loaded yet. */
const struct m3u8 *hls_list_media(const struct hls_list *);
/* The audio rendition of the current variant.  wanted: its language or name.
 * NULL: the rendition has no separate playlist. */
const struct m3u8_audio *hls_list_audio(const struct hls_list *,
					const char *wanted);
/* The bandwidth of the current variant in bits per second; 0: unknown. */
uint64_t hls_list_bandwidth(const struct hls_list *);
