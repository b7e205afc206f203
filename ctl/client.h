/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTTP to one service: one request, or many at once over few connections.
 *
 * Owns libcurl's handles; borrows the settings.  Replies are bounded in size
 * and time.  No proxy is asked, no redirect is followed.
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

/* An answer of any status.  Owns its body; clear with client_reply_done(). */
struct client_reply {
	long status;
	struct buf body; /* no terminator */
	char session[CLIENT_SESSION_LEN + 1]; /* a cookie that was set, or "" */
};

struct client *client_new(const struct settings *);
void client_free(struct client **);

/* Requests carry this session from now on; NULL: none.  Copied. */
void client_set_session(struct client *, const char *session);
const char *client_session(const struct client *);

/* POST of body, or GET without.  0, or -errno with a sentence that says what
 * to do: nobody answers there, or not in time, or not as it should. */
int client_call(struct client *, const char *path, const char *body,
		struct client_reply *ret, struct errmsg *why) MUST_CHECK;
void client_reply_done(struct client_reply *);

/* GETs n paths; each answer is shown as it comes, in any order.  Ends with the
 * first that fails. */
typedef void client_reply_fn(size_t i, const struct client_reply *, void *arg);
int client_get_all(struct client *, const char *const *paths, size_t n,
		   client_reply_fn *on_reply, void *arg,
		   struct errmsg *why) MUST_CHECK;

/* A connection of its own for whoever speaks on it himself, TLS included: a
 * CURL easy handle for curl_easy_send() and curl_easy_recv(), to be cleaned up
 * by the caller.  NULL with why. */
void *client_connect(struct client *, struct errmsg *why);
