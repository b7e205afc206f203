/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Downloads and decrypts segments, one at a time.
 *
 * Resumes a broken transfer where it ended. Loads keys on demand and caches
 * them.
 */
#pragma once

#include "worker/net/hls/segment_window.h"
#include "worker/net/curl/http_body.h"

#include <openssl/types.h>

enum {
	HLS_KEY = 16,
	HLS_KEYS = 4, /* cached */
	/* Attempts for a segment. */
	HLS_TRIES = 4,
	/* first pause between attempts; the next is twice that */
	HLS_TRY_AGAIN_MS = 500,
	/* A segment fails after twice its duration, or after this time if that
	 * is longer. */
	HLS_LOAD_LEAST_MS = 5000,
	/* An attempt fails without data for 1.5 times the duration of the
	 * segment, or for this time if that is longer. */
	HLS_STILL_LEAST_MS = 1500,
};

struct hls_key {
	char *url; /* NULL: none */
	uint8_t key[HLS_KEY];
};

/* Takes decrypted bytes; false: no room. */
typedef bool hls_load_fn(const uint8_t *data, size_t len, void *arg);

/* Embedded. Starts with the first four members set and all others zero. */
struct hls_load {
	struct fetcher *fetcher;
	unsigned timeout_s; /* an attempt also fails without data for so long,
			     * if that is shorter */
	hls_load_fn *on_data;
	void *arg;

	char *url;               /* URL of the segment; NULL: idle */
	uint64_t range_at, range_len;
	uint32_t duration_ms;
	char *key_url;           /* NULL: not encrypted */
	uint8_t iv[M3U8_IV];
	struct fetch *fetch;
	struct http_body body;        /* response with the key */
	size_t n_keys;
	struct hls_key keys[HLS_KEYS]; /* most recently used first */
	EVP_CIPHER_CTX *cipher;  /* NULL: not encrypted */
	uint64_t received;       /* decrypted bytes of this attempt */
	uint64_t delivered;      /* bytes of the segment */
	struct buf waiting;      /* decrypted bytes without room */
	unsigned tries;
	uint64_t tried_ns;       /* start of the last attempt */
	uint64_t again_ns;       /* start of the next attempt */
	uint64_t active_ns;      /* time spent on the segment, without pauses */
	uint64_t still_ns;       /* time since its last bytes */
	uint64_t still_at;       /* number of bytes at that time */
	uint64_t seen_ns;        /* end of these times; 0: not started */
	struct errmsg error;       /* error of the last attempt */
};

void hls_load_done(struct hls_load *);

/* Starts a segment of the playlist found at base. 0; -EINVAL or -ENOTSUP with
 * error. */
int hls_load_begin(struct hls_load *, const struct m3u8 *, const char *base,
		   const struct segment_step *,
		   struct errmsg *error) MUST_CHECK;

/* Takes the segment's URL from a newer playlist, found at base: tokens in URLs
 * expire. */
void hls_load_renew(struct hls_load *, const struct m3u8_segment *,
		    const char *base);

enum hls_load_is {
	HLS_LOAD_IDLE,
	HLS_LOAD_RUNS,
	HLS_LOAD_DONE,    /* everything was delivered */
	HLS_LOAD_BROKEN,  /* an attempt failed, another follows */
	HLS_LOAD_FAILED,  /* the last attempt failed */
};

/* Continues the download.  After HLS_LOAD_BROKEN and HLS_LOAD_FAILED, `error'
 * has the reason. */
enum hls_load_is hls_load_turn(struct hls_load *, uint64_t now_ns);

/* Forgets the keys: the last segment was not readable, so they may have
 * changed. */
void hls_load_forget_keys(struct hls_load *);

/* Cancels the segment. */
void hls_load_stop(struct hls_load *);
