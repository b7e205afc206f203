/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes HTTP GET and POST requests with libcurl, without blocking the caller.
 *
 * It follows redirects to http and https only, and uses the credentials of the
 * address for Basic and Digest. All work is done in fetcher_turn(), which the
 * owner calls at each tick of the data path.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/http_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the transfers of one input share: open connections, and cookies in
 * memory. */
struct fetcher;

/* Borrows the specification for the life of the fetcher. NULL with *ret_err =
 * -errno and error. */
struct fetcher *fetcher_new(const struct http_spec *, int *ret_err,
			    struct errmsg *error);
/* Frees the fetcher.  All its transfers must have been freed before. */
void fetcher_free(struct fetcher **);

/* While more than FETCHER_ENOUGH_MS is buffered, the network is read only every
 * FETCHER_EASY_MS to FETCHER_LAZY_MS, less often at a lower bit rate. This
 * saves CPU time: each read needs several system calls with cold caches. */
enum {
	FETCHER_ENOUGH_MS = 500,
	FETCHER_EASY_MS = 40,
	FETCHER_LAZY_MS = 250,
};

/* Continues all transfers without blocking. waiting_ns: duration of the packets
 * that the caller has buffered. */
void fetcher_turn(struct fetcher *, uint64_t now_ns, uint64_t waiting_ns);

struct fetch;

enum fetch_taken {
	FETCH_TAKEN,
	/* pauses the transfer; fetch_resume() delivers the same bytes again.  A
	 * compressed transfer fails instead. */
	FETCH_NO_ROOM,
	FETCH_ENOUGH,  /* ends the transfer; it counts as done */
};

/* Receives bytes of the response. */
typedef enum fetch_taken fetch_fn(const uint8_t *data, size_t len, void *arg);

enum fetch_state { FETCH_RUNS, FETCH_DONE, FETCH_FAILED };

/*
 * A request. Credentials and cookies of the configured address are sent only to
 * its own server, even if the request names another URL.
 */
struct fetch_request {
	const char *url; /* borrowed for the call */
	/* Time limit of the whole transfer; 0: none, the transfer times out
	 * only while no data arrives. */
	unsigned limit_s;
	/* offset and length in bytes of the range to load; length 0: the whole
	 * resource */
	uint64_t range_at, range_len;
	bool is_text; /* accept gzip */
	bool is_media; /* a compressed response is an error */
	/* The body of a POST, which is read from fd at the pace of the server.
	 * A redirect is an error then. */
	struct fetch_body {
		int fd; /* borrowed */
		size_t len; /* bytes; 0: the request is a GET */
		const char *const *headers; /* "Name: value", NULL at the end */
	} body;
	fetch_fn *on_data;
	void *arg;
};

/* Starts a transfer.  NULL with *ret_err = -errno and error. */
struct fetch *fetch_new(struct fetcher *, const struct fetch_request *,
			int *ret_err, struct errmsg *error);
void fetch_free(struct fetch **);

/* Resumes a paused transfer in the next fetcher_turn().  At most four transfers
 * of a fetcher may be paused. */
void fetch_resume(struct fetch *);

bool fetch_is_paused(const struct fetch *);

enum fetch_state fetch_state(const struct fetch *);
/* Returns the error of a failed transfer as -errno, with its text in error. */
int fetch_error(const struct fetch *, struct errmsg *error) MUST_CHECK;

/* The URL after redirects; borrowed. */
const char *fetch_url(const struct fetch *);
/* Content-Type of the response; "": the server sent none. Borrowed. */
const char *fetch_content_type(const struct fetch *);
