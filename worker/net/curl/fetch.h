/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GETs over HTTP, by libcurl, that nobody waits for.
 *
 * Redirects are followed, to http and https only; credentials in the address
 * are used for Basic and Digest.  Work is done in fetcher_turn(), at the ticks
 * of the data path.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/http_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the transfers of one input share: connections stay open from one to the
 * next, and cookies are kept, in memory, for the servers that set them. */
struct fetcher;

/* The specification is borrowed for the life of the fetcher.  NULL with
 * *ret_err = -errno and why. */
struct fetcher *fetcher_new(const struct http_spec *, int *ret_err,
			    struct errmsg *error);
/* Its transfers are over. */
void fetcher_free(struct fetcher **);

/* While what waits plays for longer than ENOUGH, the network is looked at every
 * EASY to LAZY milliseconds only, the less often the less comes: each look
 * costs several system calls, and finds all that it touches cold. */
enum {
	FETCHER_ENOUGH_MS = 500,
	FETCHER_EASY_MS = 40,
	FETCHER_LAZY_MS = 250,
};

/* Goes on with all transfers, as far as they go without waiting; what waits
 * plays for waiting_ns. */
void fetcher_turn(struct fetcher *, uint64_t now_ns, uint64_t waiting_ns);

struct fetch;

enum fetch_taken {
	FETCH_TAKEN,
	FETCH_NO_ROOM, /* the same bytes again after fetch_resume() */
	FETCH_ENOUGH,  /* as if there were no more of them */
};

typedef enum fetch_taken fetch_fn(const uint8_t *data, size_t len, void *arg);

enum fetch_state { FETCH_RUNS, FETCH_DONE, FETCH_FAILED };

/*
 * What the address itself is given (credentials, cookies) goes to its own
 * server alone, whatever the others are asked for.
 */
struct fetch_request {
	const char *url; /* borrowed for the call */
	/* All of it may take so long; 0: as long as something comes. */
	unsigned limit_s;
	uint64_t range_at, range_len; /* these bytes of it; len 0: all */
	bool is_text; /* it may come compressed */
	fetch_fn *on_data;
	void *arg;
};

/* NULL with *ret_err = -errno and why. */
struct fetch *fetch_new(struct fetcher *, const struct fetch_request *,
			int *ret_err, struct errmsg *error);
void fetch_free(struct fetch **);

/* At the next look, if it waits for room; up to four of a fetcher's may. */
void fetch_resume(struct fetch *);

/* Does it wait for room? */
bool fetch_is_paused(const struct fetch *);

enum fetch_state fetch_state(const struct fetch *);
/* Why it failed; -errno with why. */
int fetch_error(const struct fetch *, struct errmsg *error) MUST_CHECK;

/* Where redirects have led; borrowed. */
const char *fetch_url(const struct fetch *);
/* "" when it is not told; borrowed. */
const char *fetch_content_type(const struct fetch *);
