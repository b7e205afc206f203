/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One WebSocket connection to the service, TLS included: libcurl connects, the
 * frames are proto/wire/ws_frame's.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/client.h"
#include "proto/wire/ws_frame.h"

#include <stddef.h>

struct ws;

/* Connects and shakes hands at path, a path on the service's host.  *ret_status
 * is the HTTP status of a refusal, else 0.  NULL with why. */
struct ws *ws_open(struct client *, const char *path, long *ret_status,
		   struct errmsg *why);
/* NULL-safe; sets *w to NULL. */
void ws_free(struct ws **);

/* To wait for; after ws_next() said WS_MORE. */
int ws_fd(const struct ws *);

/*
 * What came: WS_TEXT and WS_PONG with their payload until the next call,
 * WS_MORE when there is nothing more now, WS_CLOSE when the connection is
 * over, with why.  Pings are answered.
 */
enum ws_event ws_next(struct ws *, const char **ret, size_t *ret_len,
		      struct errmsg *why);

/* Sends a text; 0 or -errno. */
int ws_send(struct ws *, const char *text) MUST_CHECK;
