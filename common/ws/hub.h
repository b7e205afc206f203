/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event channel: every WebSocket client, one broadcast for all.
 *
 * A message is encoded once, whatever the number of clients, and is written to
 * a client together with what else waits for it.  Order is kept.  A client
 * whose unsent backlog passes 1 MiB is closed with 1001.
 *
 * Owns its clients; borrows the loop.  All clients share what waits for them,
 * so together they hold what the slowest one holds, not a multiple of it.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct ev_loop;
struct hub;
struct http_conn;
struct http_request;

enum {
	HUB_BACKLOG_MAX = 1024 * 1024,
	HUB_CLIENTS_MAX = 512,
	/* Unfinished messages of all clients, bytes. */
	HUB_RECEIVED_MAX = 16 * 1024 * 1024,
	HUB_FLUSH_MS = 100, /* the longest a status message waits for others */
};

enum hub_urgency { HUB_SOON, HUB_AT_ONCE };

/* What a client hears. */
enum hub_ear {
	HUB_DEAF,   /* nothing: it is there to be answered its ping */
	HUB_EVENTS, /* what everybody does */
	HUB_ALL,    /* and what is only for those who ask for it */
};

struct hub *hub_new(struct ev_loop *);
/* Fewer clients than HUB_CLIENTS_MAX; call it before the first. */
void hub_limit(struct hub *, size_t clients_max);

/* Every client gets close 1001 (best effort, no waiting). */
void hub_free(struct hub **);

/* The same for all that there are now; the hub goes on. */
void hub_dismiss_all(struct hub *);

/* Answers the handshake on conn: 101 and adoption, 400, or 503 when there are
 * too many clients.  A deaf one makes room for one that listens. */
void hub_handshake(struct hub *, struct http_conn *,
		   const struct http_request *, enum hub_ear);

/* One text frame to every listener; message is borrowed.  HUB_AT_ONCE: written
 * in this turn of the loop, behind what waits.  Costs nothing when nobody
 * listens: ask hub_has_listeners() before building a message. */
void hub_broadcast(struct hub *, const json_t *message, enum hub_urgency);

/* The same, for those who hear all. */
void hub_broadcast_more(struct hub *, const json_t *message);

bool hub_has_listeners(const struct hub *);
/* ... who hear all? */
bool hub_wants_more(const struct hub *);
size_t hub_clients(const struct hub *);
