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

/* Connects and does the handshake at path on the host of the service.
 * *ret_status is the HTTP status of a refusal, else 0.  NULL with error. */
struct ws *ws_open(struct client *, const char *path, long *ret_status,
		   struct errmsg *error);
/* NULL-safe; sets *w to NULL. */
void ws_free(struct ws **);

/* The descriptor to wait for after ws_next() returned WS_MORE. */
int ws_fd(const struct ws *);

/*
 * Returns the next event: WS_TEXT and WS_PONG with a payload that is valid
 * until the next call, WS_MORE if no frame is complete, WS_CLOSE with error
 * when the connection has ended.  Replies to pings.
 */
enum ws_event ws_next(struct ws *, const char **ret, size_t *ret_len,
		      struct errmsg *error);

/* Sends a text message; 0 or -errno. */
int ws_send(struct ws *, const char *text) MUST_CHECK;
