/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A client that requests a list of streams and does not watch yet: decides
 * which streams the list may show to this client.
 *
 * Owns a password check; borrows everything else.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

struct config;
struct ev_loop;
struct gate;
struct viewer_guest;
struct viewer_rules;

typedef void viewer_guest_ready_fn(struct viewer_guest *, void *arg);

struct viewer_guest_config {
	struct ev_loop *loop;
	const struct config *config;
	struct gate *gate;
	const struct viewer_rules *rules;
	/* Called once, from the loop, when viewer_guest_is_ready() is true. */
	viewer_guest_ready_fn *ready;
	void *arg;
};

/* query, peer: the query and the address (without port) of the request. */
struct viewer_guest *viewer_guest_new(const struct viewer_guest_config *,
				      const char *query, const char *peer);
/* NULL-safe; sets *g to NULL.  May be called before ready. */
void viewer_guest_free(struct viewer_guest **);

/* True: the check of the password has ended, or none is needed.  False: it
 * still runs. */
bool viewer_guest_is_ready(const struct viewer_guest *);

/* True: the password was not checked: its check still runs, too many checks
 * wait, or the address or login is locked. */
bool viewer_guest_is_unchecked(const struct viewer_guest *);

/* True: a list may show this stream to the guest.  True as well if the backend
 * must decide: the backend is asked only when the guest watches. */
bool viewer_guest_may(const struct viewer_guest *, const json_t *stream);
