/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A WebSocket connection to the service, also over TLS: libcurl connects,
 * proto/wire/ws_frame encodes and decodes frames.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/client.h"
#include "proto/wire/ws_frame.h"

#include <stddef.h>

struct ws;

/* Connects to the host of the service and does the WebSocket handshake at path.
 * NULL with error; *ret_status is then the HTTP status if the service refused
 * it, else 0. */
struct ws *ws_open(struct client *, const char *path, long *ret_status,
		   struct errmsg *error);
/* NULL-safe; sets *w to NULL. */
void ws_free(struct ws **);

/* The descriptor to poll for input after ws_next() has returned WS_MORE. */
int ws_fd(const struct ws *);

/*
 * Returns the next event without waiting, and replies to pings.  WS_TEXT and
 * WS_PONG: *ret is the payload, which is valid until the next call.  WS_MORE:
 * no message is complete.  WS_CLOSE: the connection has ended; error says why.
 */
enum ws_event ws_next(struct ws *, const char **ret, size_t *ret_len,
		      struct errmsg *error);

/* Sends a text message; 0 or -errno. */
int ws_send(struct ws *, const char *text) MUST_CHECK;
