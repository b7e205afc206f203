/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The playlist that is played: found, chosen, loaded again and again.
 *
 * Of a master playlist the variant with the highest bandwidth that is allowed
 * is taken; one that fails gives way to the next lower one.  After a while,
 * longer each time, the list of the best one is looked at, beside the one that
 * plays: when something new comes into it, it is gone back to.  Reloads keep to
 * RFC 8216 6.3.4.
 */
#pragma once

#include "worker/net/hls/m3u8.h"
#include "worker/net/curl/http_body.h"

enum {
	/* Failures in a row after which a variant is left. */
	HLS_FAILURES_MAX = 3,
	/* Without anything new for so many target durations, and that long,
	 * a list is taken to be dead. */
	HLS_STALL_TARGETS = 3,
	HLS_STALL_MIN_MS = 10 * 1000,
	/* Before a better variant is looked at: doubled with each fall and each
	 * vain look, forgiven when the best one has played twice as long. */
	HLS_RETURN_FIRST_S = 60,
	HLS_RETURN_LAST_S = 960,
};

/* A playlist that was loaded. */
struct hls_text {
	char *base;     /* where it was found; NULL: there is none */
	uint8_t *data;
	size_t len;
	struct m3u8 list;
};

struct hls_list {
	struct fetcher *fetcher;
	const char *home;       /* the address of the input */
	uint64_t bandwidth;     /* the most that is allowed; 0: any */
	struct http_body body;
	bool loads_master;
	struct hls_text master; /* of a list without variants: none */
	struct hls_text media;
	size_t n_variants;      /* that may be played */
	size_t order[M3U8_VARIANTS_MAX]; /* indices, the best first */
	size_t variant;         /* in order */
	uint64_t load_ns;       /* when the next load is due ... */
	uint64_t began_ns;      /* ... and the last one began */
	uint64_t changed_ns;    /* when something new came */
	unsigned failures;      /* in a row */
	unsigned return_s;      /* 0: it never fell */
	uint64_t return_ns;     /* when a better variant is looked at ... */
	struct http_body better;     /* ... its list ... */
	uint64_t better_end;    /* ... and where it ended at first; 0: it was
				   not seen yet */
	uint64_t risen_ns;      /* since then the best one plays */
	bool changes;           /* to another variant, not loaded yet */
	bool idle;              /* the owner's word: it is played out */
	struct errmsg trouble;  /* "": none */
	uint64_t reloads;       /* since init */
};

enum hls_list_is {
	HLS_LIST_SAME,
	HLS_LIST_NEW,       /* media was loaded again */
	HLS_LIST_VARIANT,   /* media is that of another variant */
};

void hls_list_init(struct hls_list *, struct fetcher *, const char *home,
		   uint64_t bandwidth);
void hls_list_done(struct hls_list *);

/* The first reply of the address, found at url: takes what is in body.  0, or
 * -errno with why: it cannot be played. */
int hls_list_begin(struct hls_list *, const char *url, struct buf *body,
		   uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Loads what is due. */
enum hls_list_is hls_list_turn(struct hls_list *, uint64_t now_ns);

/* Segments of the variant fail: is there another one to go to? */
bool hls_list_fall(struct hls_list *, uint64_t now_ns);

/* NULL until there is one. */
const struct m3u8 *hls_list_media(const struct hls_list *);
/* What is heard with the variant, wanted by language or name, if it has a
 * playlist of its own; else NULL. */
const struct m3u8_audio *hls_list_audio(const struct hls_list *,
					const char *wanted);
/* bits per second; 0: not told. */
uint64_t hls_list_bandwidth(const struct hls_list *);
