/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Downloads and decrypts segments, one at a time.
 *
 * A broken transfer is repeated from the start of the segment; on_data() gets
 * only the bytes that it has not taken yet. Loads keys on demand and caches
 * them.
 */
#pragma once

#include "worker/net/hls/segment_window.h"
#include "worker/net/curl/http_body.h"

#include <openssl/types.h>

enum {
	HLS_KEY = 16, /* bytes of a key */
	HLS_KEYS = 4, /* keys in the cache */
	/* The most attempts for a segment. */
	HLS_TRIES = 4,
	/* least time from the start of the first attempt to that of the second;
	 * each further time is twice as long */
	HLS_TRY_AGAIN_MS = 500,
	/* A segment fails after twice its duration, or after this time if that
	 * is longer.  Time in which on_data() has no room does not count. */
	HLS_LOAD_LEAST_MS = 5000,
	/* An attempt fails if no data arrives for 1.5 times the duration of the
	 * segment, or for this time if that is longer. */
	HLS_STILL_LEAST_MS = 1500,
};

struct hls_key {
	char *url; /* URL of the key */
	uint8_t key[HLS_KEY];
};

/* Takes decrypted bytes; false: no room. */
typedef bool hls_load_fn(const uint8_t *data, size_t len, void *arg);

/* Embedded. Starts with the first four members set and all others zero. */
struct hls_load {
	struct fetcher *fetcher;
	unsigned timeout_s; /* an attempt also fails if no data arrives for
			     * this time */
	hls_load_fn *on_data;
	void *arg;

	char *url;               /* URL of the segment; NULL: idle */
	/* offset and length in bytes of the segment at url; length 0: the
	 * whole resource */
	uint64_t range_at, range_len;
	uint32_t duration_ms;
	char *key_url;           /* NULL: the segment is not encrypted */
	uint8_t iv[M3U8_IV];     /* initialization vector */
	struct fetch *fetch;     /* transfer of the segment; NULL: none */
	struct http_body body;   /* response with the key */
	size_t n_keys;           /* entries of keys */
	struct hls_key keys[HLS_KEYS]; /* most recently used first */
	EVP_CIPHER_CTX *cipher;  /* state of AES; NULL: not encrypted */
	uint64_t received;       /* decrypted bytes of this attempt */
	uint64_t delivered;      /* bytes of the segment that on_data() took */
	struct buf waiting;      /* decrypted bytes that on_data() refused */
	unsigned tries;          /* attempts that have failed */
	uint64_t tried_ns;       /* start of the last attempt */
	uint64_t again_ns;       /* start of the next attempt */
	uint64_t active_ns;      /* time spent on the segment, also between
				  * attempts; not while on_data() has no room */
	/* time in this attempt since bytes arrived; not while on_data() has no
	 * room */
	uint64_t still_ns;
	uint64_t still_at;       /* value of received at seen_ns */
	uint64_t seen_ns;        /* time of the last hls_load_turn(); 0: none */
	struct errmsg error;     /* error of the last attempt */
};

void hls_load_done(struct hls_load *);

/* Starts to load a segment. base: URL of its playlist. 0; -EINVAL with error:
 * a URL is wrong; -ENOTSUP with error: the encryption is not supported. */
int hls_load_begin(struct hls_load *, const struct m3u8 *, const char *base,
		   const struct segment_step *,
		   struct errmsg *error) MUST_CHECK;

/* Takes the URL of the segment from a newer playlist, because tokens in URLs
 * expire. base: URL of the playlist. */
void hls_load_renew(struct hls_load *, const struct m3u8_segment *,
		    const char *base);

enum hls_load_is {
	HLS_LOAD_IDLE,
	HLS_LOAD_RUNS,
	HLS_LOAD_DONE,    /* everything was delivered */
	HLS_LOAD_BROKEN,  /* an attempt failed, another follows */
	HLS_LOAD_FAILED,  /* an attempt failed, and no other follows */
};

/* Continues the download.  After HLS_LOAD_BROKEN and HLS_LOAD_FAILED, `error'
 * has the reason. */
enum hls_load_is hls_load_turn(struct hls_load *, uint64_t now_ns);

/* Forgets the keys: the last segment was not readable, so they may have
 * changed. */
void hls_load_forget_keys(struct hls_load *);

/* Cancels the segment. */
void hls_load_stop(struct hls_load *);
