/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event channel: sends messages to all WebSocket clients, in order.
 *
 * A message is encoded once for all clients and written together with others.
 * A client with more than 1 MiB of unsent messages is closed with 1001.
 *
 * Owns its clients; borrows the loop.  All clients share the unsent messages,
 * so that these need the memory of the slowest client only.
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
	/* Bytes of unfinished messages received from all clients. */
	HUB_RECEIVED_MAX = 16 * 1024 * 1024,
	HUB_FLUSH_MS = 100, /* maximum delay of a HUB_SOON message */
};

enum hub_urgency { HUB_SOON, HUB_AT_ONCE };

/* The messages that a client receives. */
enum hub_scope {
	HUB_NONE, /* only answers to its pings */
	HUB_EVENTS, /* messages of hub_broadcast() */
	HUB_ALL, /* also messages of hub_broadcast_more() */
	/* flag beside HUB_EVENTS or HUB_ALL: receives reduced messages
	 * (hub_set_reduce()) */
	HUB_REDUCED = 4,
	/* flags beside HUB_EVENTS or HUB_ALL: also receives the messages of
	 * hub_send_extra() with this scope */
	HUB_LOG = 8,
	HUB_CAM = 16,
	HUB_CUE = 32,
	HUB_EPG = 64,
};

struct hub *hub_new(struct ev_loop *);
/* Lowers the limit of clients from HUB_CLIENTS_MAX; call it before the first
 * client. */
void hub_limit(struct hub *, size_t clients_max);

/* Clients with HUB_REDUCED receive the results of reduce, new references. */
void hub_set_reduce(struct hub *, json_t *(*reduce)(const json_t *message));

/* Sends close 1001 to every client, without waiting. */
void hub_free(struct hub **);

/* Sends close 1001 to the present clients; the hub continues. */
void hub_dismiss_all(struct hub *);

/* True when the header Upgrade is "websocket"; checks nothing else. */
bool hub_is_handshake(const struct http_request *);

/* Answers the handshake on conn: 101, 400, or 503 for too many clients.  A
 * client with HUB_NONE is closed in favour of a client that receives events.
 * login names the client for hub_review(); NULL: it is not reviewed. */
void hub_handshake(struct hub *, struct http_conn *,
		   const struct http_request *, enum hub_scope,
		   const char *login);

/* Returns 0, or the code with which the channel of the client must be
 * closed. */
typedef unsigned hub_judge_fn(const char *login, enum hub_scope, void *arg);

/* Closes the channels that judge rejects, after their queued messages. */
void hub_review(struct hub *, hub_judge_fn *judge, void *arg);

/* Sends a text frame to every client with events; message is borrowed.
 * HUB_AT_ONCE: in this iteration of the loop, after waiting messages.  Check
 * hub_has_listeners() before you build a message. */
void hub_broadcast(struct hub *, const json_t *message, enum hub_urgency);

/* Sends this JSON to every client with events.  Clients with HUB_REDUCED
 * receive the same text. */
void hub_broadcast_text(struct hub *, const char *text, size_t len,
			enum hub_urgency);

/* Sends a text frame to every client with HUB_ALL. */
void hub_broadcast_more(struct hub *, const json_t *message);

/* Sends a text frame to every client with this scope (from HUB_LOG on) and
 * without HUB_REDUCED. */
void hub_send_extra(struct hub *, enum hub_scope, const json_t *message);

bool hub_has_listeners(const struct hub *);
/* True when a client has HUB_ALL. */
bool hub_wants_more(const struct hub *);
/* True when hub_send_extra() has a client with this scope. */
bool hub_wants_extra(const struct hub *, enum hub_scope);
size_t hub_clients(const struct hub *);
