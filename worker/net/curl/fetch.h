/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTTP GET and POST with libcurl, without blocking the caller.
 *
 * Follows redirects to http and https only. Uses the credentials of the address
 * for Basic and Digest. All work is done in fetcher_turn(), at the ticks of the
 * data path.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/http_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared by the transfers of one input: open connections, and cookies in
 * memory. */
struct fetcher;

/* Borrows the specification for the life of the fetcher. NULL with *ret_err =
 * -errno and error. */
struct fetcher *fetcher_new(const struct http_spec *, int *ret_err,
			    struct errmsg *error);
/* Frees the fetcher.  All its transfers must have been freed before. */
void fetcher_free(struct fetcher **);

/* While more than FETCHER_ENOUGH_MS is buffered, the network is read only every
 * FETCHER_EASY_MS to FETCHER_LAZY_MS, less often at a lower rate: each read
 * costs several system calls with cold caches. */
enum {
	FETCHER_ENOUGH_MS = 500,
	FETCHER_EASY_MS = 40,
	FETCHER_LAZY_MS = 250,
};

/* Continues all transfers without blocking. waiting_ns: how long the buffered
 * packets play. */
void fetcher_turn(struct fetcher *, uint64_t now_ns, uint64_t waiting_ns);

struct fetch;

enum fetch_taken {
	FETCH_TAKEN,
	/* paused; fetch_resume() delivers the same bytes again */
	FETCH_NO_ROOM,
	FETCH_ENOUGH,  /* end the transfer; it counts as done */
};

typedef enum fetch_taken fetch_fn(const uint8_t *data, size_t len, void *arg);

enum fetch_state { FETCH_RUNS, FETCH_DONE, FETCH_FAILED };

/*
 * Credentials and cookies of the configured address are sent only to its own
 * server, also when the request names another URL.
 */
struct fetch_request {
	const char *url; /* borrowed for the call */
	/* Limit of the whole transfer; 0: none, only a transfer without data
	 * times out. */
	unsigned limit_s;
	uint64_t range_at, range_len; /* range in bytes; len 0: all */
	bool is_text; /* accept gzip */
	bool is_media; /* compressed data is an error, not media */
	/* POST of so many bytes of this memory (borrowed), read at the pace of
	 * the server; len 0: GET.  A redirect is an error. */
	struct fetch_body {
		int fd;
		size_t len;
		const char *const *headers; /* "Name: value", NULL at the end */
	} body;
	fetch_fn *on_data;
	void *arg;
};

/* Starts a transfer.  NULL with *ret_err = -errno and error. */
struct fetch *fetch_new(struct fetcher *, const struct fetch_request *,
			int *ret_err, struct errmsg *error);
void fetch_free(struct fetch **);

/* Resumes a paused transfer at the next turn.  At most four transfers of a
 * fetcher may be paused. */
void fetch_resume(struct fetch *);

bool fetch_is_paused(const struct fetch *);

enum fetch_state fetch_state(const struct fetch *);
/* Returns the error of a failed transfer as -errno, with its text in error. */
int fetch_error(const struct fetch *, struct errmsg *error) MUST_CHECK;

/* The URL after redirects; borrowed. */
const char *fetch_url(const struct fetch *);
/* "" when the server sends none; borrowed. */
const char *fetch_content_type(const struct fetch *);
