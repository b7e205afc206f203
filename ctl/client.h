/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An HTTP client of one service.  It waits for the reply of a request, or makes
 * one request at a time in the background.
 *
 * Owns libcurl's handles; borrows the settings.  The size of a reply and the
 * time for it are limited.  The client uses no proxy and follows no redirect.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/ctl_settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CLIENT_REPLY_MAX = 64 * 1024 * 1024, /* bytes of a body */
	CLIENT_SESSION_LEN = 64, /* characters of a session id */
};

struct client;

/* A reply of any status.  Owns its body; free it with client_reply_done(). */
struct client_reply {
	long status;
	struct buf body; /* without a NUL at its end */
	char session[CLIENT_SESSION_LEN + 1]; /* session id in Set-Cookie; "":
					       * none */
};

struct client *client_new(const struct settings *);
void client_free(struct client **);

/* Sets the session id that further requests send; copies it.  NULL: none. */
void client_set_session(struct client *, const char *session);
const char *client_session(const struct client *);

/* Sends a POST with body, or a GET if body is NULL.  0, or -errno with error:
 * no connection, a time-out, or a malformed reply. */
int client_call(struct client *, const char *path, const char *body,
		struct client_reply *ret, struct errmsg *error) MUST_CHECK;
void client_reply_done(struct client_reply *);

/*
 * A GET in the background, one at a time, so that the caller can wait for other
 * events, too.  client_begin() drops the request before it.  client_wait()
 * returns true when the request has ended, and false when fd (-1: none) is
 * readable or at until_ms (mono_ms()).  client_end() returns the reply as
 * client_call() does; if there is none yet, it drops the request and returns
 * -EAGAIN without an error text.
 */
void client_begin(struct client *, const char *path);
bool client_is_busy(const struct client *);
bool client_wait(struct client *, int fd, uint64_t until_ms);
int client_end(struct client *, struct client_reply *ret,
	       struct errmsg *error) MUST_CHECK;

/* Opens a connection without a request, with TLS if the address is https.
 * Returns a CURL easy handle for curl_easy_send() and curl_easy_recv(), which
 * the caller cleans up; NULL with error. */
void *client_connect(struct client *, struct errmsg *error);
