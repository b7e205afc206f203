/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One WebSocket client: answers its pings, writes what the hub says.
 *
 * Owns its socket; borrows the loop.  It ends itself: on_gone is the last
 * thing it does, and the owner frees it inside.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"
#include "common/http/peers.h"
#include "common/ws/ws_chunk.h"
#include "common/ws/hub.h"

#include <stdbool.h>
#include <stddef.h>

struct ev_loop;
struct ws_client;

struct ws_client_config {
	struct ev_loop *loop;
	int fd;        /* taken; non-blocking */
	struct peer *from; /* taken; NULL when it is not counted */
	enum hub_ear ear;
	size_t *held;  /* bytes of unfinished messages of all clients */
	void (*on_gone)(struct ws_client *, void *arg);
	void *arg;
};

/* greeting: the answer to the handshake; rest: what came behind the request.
 * Both are taken.  Works in the next turn of the loop. */
struct ws_client *ws_client_new(const struct ws_client_config *,
				struct buf *greeting, struct buf *rest);

/* NULL-safe; closes at once. */
void ws_client_free(struct ws_client **);

/* HUB_DEAF for one that is ending, too. */
enum hub_ear ws_client_ear(const struct ws_client *);

/* The newest chunk: to be written behind what waits.  May call on_gone. */
void ws_client_push(struct ws_client *, struct ws_chunk *);

/* Close with code as far as it goes without waiting; the caller frees it. */
void ws_client_farewell(struct ws_client *, unsigned code);
