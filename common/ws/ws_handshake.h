/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer to a WebSocket handshake (RFC 6455 4.2.2). */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"
#include "proto/wire/http_request.h"

#include <stdbool.h>

/* True when the header Upgrade is "websocket"; checks nothing else. */
bool ws_handshake_wanted(const struct http_request *);

/* Appends the answer: 101, with Sec-WebSocket-Accept when there is a key. */
void ws_handshake_write(struct buf *out, const struct http_request *);
