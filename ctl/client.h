/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An HTTP client of one service: single requests, or many in parallel over a
 * few connections.
 *
 * Owns libcurl's handles; borrows the settings.  Size and time of replies are
 * limited.  The client uses no proxy and follows no redirect.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/ctl_settings.h"

#include <stddef.h>

enum {
	CLIENT_REPLY_MAX = 64 * 1024 * 1024,
	CLIENT_SESSION_LEN = 64,
};

struct client;

/* A reply of any status.  Owns its body; free it with client_reply_done(). */
struct client_reply {
	long status;
	struct buf body; /* no terminator */
	char session[CLIENT_SESSION_LEN + 1]; /* from Set-Cookie, or "" */
};

struct client *client_new(const struct settings *);
void client_free(struct client **);

/* Sets the session of further requests, NULL for none; copies it. */
void client_set_session(struct client *, const char *session);
const char *client_session(const struct client *);

/* Sends a POST with body, or a GET if body is NULL.  0, or -errno with error:
 * no connection, a time-out, or a malformed reply. */
int client_call(struct client *, const char *path, const char *body,
		struct client_reply *ret, struct errmsg *error) MUST_CHECK;
void client_reply_done(struct client_reply *);

/* Queries n paths in parallel; calls on_reply for each reply in any order.
 * Stops at the first failed request. */
typedef void client_reply_fn(size_t i, const struct client_reply *, void *arg);
int client_get_all(struct client *, const char *const *paths, size_t n,
		   client_reply_fn *on_reply, void *arg,
		   struct errmsg *error) MUST_CHECK;

/* Opens a raw connection, with TLS if the address is https: a CURL easy handle
 * for curl_easy_send() and curl_easy_recv(), which the caller cleans up.  NULL
 * with error. */
void *client_connect(struct client *, struct errmsg *error);
