/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One GET over HTTP, by libcurl, that nobody waits for.
 *
 * Redirects are followed, to http and https only; credentials in the address
 * are used for Basic and Digest.  Work is done in fetch_turn(), at the ticks
 * of the data path.
 */
#pragma once

#include "common/errmsg.h"
#include "common/util.h"
#include "proto/http_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fetch;

/* Takes what came.  False: there is no room, come again with the same bytes
 * when fetch_resume() was called. */
typedef bool fetch_fn(const uint8_t *data, size_t len, void *arg);

enum fetch_state { FETCH_RUNS, FETCH_DONE, FETCH_FAILED };

/* spec is borrowed for the life of the fetch; url is copied.  NULL with
 * *ret_err = -errno and why. */
struct fetch *fetch_new(const struct http_spec *, const char *url,
			fetch_fn *on_data, void *arg, int *ret_err,
			struct errmsg *why);
void fetch_free(struct fetch **);

/* Goes on with the transfer, as far as it goes without waiting. */
void fetch_turn(struct fetch *);
void fetch_resume(struct fetch *);

enum fetch_state fetch_state(const struct fetch *);
/* Why it failed; -errno with why. */
int fetch_error(const struct fetch *, struct errmsg *why) MUST_CHECK;
