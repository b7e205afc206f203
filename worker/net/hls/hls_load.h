/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of one segment after the other, in the clear.
 *
 * A transfer that breaks is begun again and goes on where it broke.  Keys are
 * loaded when they are needed and remembered.
 */
#pragma once

#include "worker/net/hls/segment_window.h"
#include "worker/net/curl/http_body.h"

#include <openssl/types.h>

enum {
	HLS_KEY = 16,
	HLS_KEYS = 4, /* that are remembered */
	/* So often a segment is asked for. */
	HLS_TRIES = 4,
	HLS_TRY_AGAIN_MS = 500, /* from try to try at least, then twice that */
	/* A segment is given up when it takes longer than twice its duration,
	 * or that. */
	HLS_LOAD_LEAST_MS = 5000,
	/* A try is given up when nothing came for half as much again as a
	 * segment lasts, but not before ... */
	HLS_STILL_LEAST_MS = 1500,
};

struct hls_key {
	char *url; /* NULL: none */
	uint8_t key[HLS_KEY];
};

/* In the clear; false: there is no room for it. */
typedef bool hls_load_fn(const uint8_t *data, size_t len, void *arg);

/* Embedded. */
struct hls_load {
	struct fetcher *fetcher;
	unsigned timeout_s;
	hls_load_fn *on_data;
	void *arg;

	char *url;               /* of the segment; NULL: none is wanted */
	uint64_t range_at, range_len;
	uint32_t duration_ms;
	char *key_url;           /* NULL: it is in the clear */
	uint8_t iv[M3U8_IV];
	struct fetch *fetch;
	struct http_body body;        /* of the key */
	size_t n_keys;
	struct hls_key keys[HLS_KEYS]; /* the last one used first */
	EVP_CIPHER_CTX *cipher;  /* while it is not in the clear */
	uint64_t came;           /* plain bytes of this try */
	uint64_t had;            /* those that were handed on */
	struct buf waiting;      /* decrypted, without room so far */
	unsigned tries;
	uint64_t tried_ns;       /* the last one began */
	uint64_t again_ns;       /* the next one begins */
	uint64_t active_ns;      /* spent on the segment, but for pauses ... */
	uint64_t still_ns;       /* ... since its last bytes came ... */
	uint64_t still_at;       /* ... so many of them ... */
	uint64_t seen_ns;        /* ... up to now; 0: not begun */
	struct errmsg error;       /* the last one failed */
};

/* Nothing may come for timeout_s, or for a segment's duration. */
void hls_load_init(struct hls_load *, struct fetcher *, unsigned timeout_s,
		   hls_load_fn *, void *arg);
void hls_load_done(struct hls_load *);

/* Begins with a segment of the list found at base.  0; -EINVAL or -ENOTSUP
 * with why. */
int hls_load_begin(struct hls_load *, const struct m3u8 *, const char *base,
                   const struct segment_step *,
                   struct errmsg *error) MUST_CHECK;

/* A list that came meanwhile, found at base, may give another address for it:
 * tokens in them expire. */
void hls_load_renew(struct hls_load *, const struct m3u8_segment *,
		    const char *base);

enum hls_load_is {
	HLS_LOAD_IDLE,
	HLS_LOAD_RUNS,
	HLS_LOAD_DONE,    /* all of it was handed on */
	HLS_LOAD_BROKEN,  /* a try failed, there will be another */
	HLS_LOAD_FAILED,  /* ... that was the last one */
};

/* Goes on; why is in `why`. */
enum hls_load_is hls_load_turn(struct hls_load *, uint64_t now_ns);

/* What was loaded last was no good: perhaps the keys are others by now. */
void hls_load_forget_keys(struct hls_load *);

/* It is not wanted any more. */
void hls_load_stop(struct hls_load *);
