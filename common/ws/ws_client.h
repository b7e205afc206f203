/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A WebSocket client: answers pings and writes the messages of the hub.
 *
 * Owns the socket; borrows the loop.  on_gone is the last callback; the owner
 * frees the client inside.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"
#include "common/base/peers.h"
#include "common/ws/hub.h"

#include <stdbool.h>
#include <stddef.h>

struct ev_loop;
struct ws_client;

/* --- chunks of frames --- */

/*
 * Several clients share a chunk, so that frames are stored once.
 *
 * Chunks form a list that only grows at its end.  A client holds a reference to
 * the chunk it writes, and a chunk to its successor.  The memory in use is that
 * of the slowest client.
 */
struct ws_chunk {
	struct ws_chunk *next;
	unsigned refs;
	struct buf frames; /* whole frames only */
};

/* Takes the bytes of frames and links the chunk to last (may be NULL).  The
 * caller holds one reference. */
struct ws_chunk *ws_chunk_new(struct buf *frames, struct ws_chunk *last);

struct ws_chunk *ws_chunk_ref(struct ws_chunk *);

/* NULL-safe; sets *chunk to NULL. */
void ws_chunk_unref(struct ws_chunk **chunk);

/* --- clients --- */

struct ws_client_config {
	struct ev_loop *loop;
	int fd;        /* taken; non-blocking */
	struct peer *from; /* taken; NULL: not counted */
	enum hub_scope scope;
	const char *login; /* copied; NULL: none */
	/* bytes of unfinished messages received from all clients */
	size_t *held;
	void (*on_gone)(struct ws_client *, void *arg);
	void *arg;
};

/* greeting: the answer to the handshake; rest: the bytes that follow the
 * request.  Both are taken.  Starts in the next iteration of the loop. */
struct ws_client *ws_client_new(const struct ws_client_config *,
				struct buf *greeting, struct buf *rest);

/* NULL-safe; closes at once. */
void ws_client_free(struct ws_client **);

/* The scope of the configuration; HUB_NONE while the client is closing. */
enum hub_scope ws_client_scope(const struct ws_client *);

/* The login of the client; NULL: it has none. */
const char *ws_client_login(const struct ws_client *);

/* Puts the newest chunk behind the waiting ones, without writing it. */
void ws_client_add(struct ws_client *, struct ws_chunk *);

/* Writes the waiting messages.  May call on_gone. */
void ws_client_flush(struct ws_client *);

/* Sends the waiting messages and a close frame with code, as far as the socket
 * takes them without waiting.  The caller frees the client. */
void ws_client_close(struct ws_client *, unsigned code);
