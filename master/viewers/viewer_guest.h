/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Somebody who asks for a playlist: the streams that it may watch.
 *
 * Owns a password check; borrows the rest.
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
	/* Called once from the loop: the guest is identified. */
	viewer_guest_ready_fn *ready;
	void *arg;
};

/* query and peer (an address without port) are those of the request. */
struct viewer_guest *viewer_guest_new(const struct viewer_guest_config *,
				      const char *query, const char *peer);
/* NULL-safe; sets *g to NULL.  Also before it is ready. */
void viewer_guest_free(struct viewer_guest **);

/* False: its password is being checked. */
bool viewer_guest_is_ready(const struct viewer_guest *);

/* True: its password was not checked, because too many checks wait or the
 * address or login is locked. */
bool viewer_guest_is_unchecked(const struct viewer_guest *);

/* May the guest see this stream in a list?  Yes, if the backend would have to
 * decide: it is asked when the guest watches. */
bool viewer_guest_may(const struct viewer_guest *, const json_t *stream);
