/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/ws/hub.h"

#include "common/base/alloc.h"
#include "common/http/server.h"
#include "common/loop/timer.h"
#include "proto/wire/json_text.h"
#include "common/ws/ws_client.h"
#include "proto/wire/ws_frame.h"

#include <ev.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	KEEP = 65536, /* bytes of memory kept between two messages */
	SCOPES = (HUB_ALL | HUB_REDUCED | HUB_LOG | HUB_CAM |
		  HUB_CUE | HUB_EPG) + 1,
	SHA1_LEN = 20,
	ACCEPT_LEN = 28,
};

/* The messages for all clients with one scope. */
struct feed {
	struct buf frames; /* encoded frames of the next flush */
	struct ws_chunk *last; /* newest chunk; the next one is linked to it */
};

struct hub {
	struct ev_loop *loop;
	ev_timer flush;
	struct ws_client *clients[HUB_CLIENTS_MAX]; /* oldest first */
	size_t n_clients;
	size_t clients_max;
	size_t held;           /* see HUB_RECEIVED_MAX */
	json_t *(*reduce)(const json_t *message);
	struct buf text;       /* buffer to encode a message */
	struct feed feeds[SCOPES]; /* index: scope; for HUB_NONE always empty */
};

static void remove_client(struct ws_client *client, void *hub)
{
	struct hub *h = hub;
	size_t i = 0;

	while (h->clients[i] != client)
		i++;
	h->n_clients--;
	memmove(&h->clients[i], &h->clients[i + 1],
		(h->n_clients - i) * sizeof h->clients[0]);
	ws_client_free(&client);
}

/* Gives the queued messages of each scope to its present clients, which write
 * them later. */
static void assign(struct hub *h)
{
	for (unsigned scope = 0; scope < SCOPES; scope++) {
		struct feed *f = &h->feeds[scope];
		struct ws_chunk *before = f->last;

		if (buf_len(&f->frames) == 0)
			continue;
		f->last = ws_chunk_new(&f->frames, before);
		ws_chunk_unref(&before);
		for (size_t i = 0; i < h->n_clients; i++)
			if (ws_client_scope(h->clients[i]) == scope)
				ws_client_add(h->clients[i], f->last);
	}
}

static void flush(struct hub *h)
{
	ev_timer_stop(h->loop, &h->flush);
	assign(h);
	/* backwards, because a client may end in the call */
	for (size_t i = h->n_clients; i-- > 0;)
		ws_client_flush(h->clients[i]);
}

static void on_flush(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	flush(container_of(w, struct hub, flush));
}

struct hub *hub_new(struct ev_loop *loop)
{
	struct hub *h = xcalloc(1, sizeof *h);

	h->loop = loop;
	h->clients_max = HUB_CLIENTS_MAX;
	ev_init(&h->flush, on_flush);
	return h;
}

void hub_limit(struct hub *h, size_t clients_max)
{
	h->clients_max = MIN(clients_max, (size_t)HUB_CLIENTS_MAX);
}

void hub_set_reduce(struct hub *h, json_t *(*reduce)(const json_t *message))
{
	h->reduce = reduce;
}

void hub_dismiss_all(struct hub *h)
{
	flush(h);
	while (h->n_clients > 0) {
		struct ws_client *last = h->clients[h->n_clients - 1];

		ws_client_close(last, WS_GOING_AWAY);
		remove_client(last, h);
	}
}

void hub_review(struct hub *h, hub_judge_fn *judge, void *arg)
{
	flush(h);
	for (size_t i = h->n_clients; i-- > 0;) {
		struct ws_client *client = h->clients[i];
		const char *login = ws_client_login(client);
		enum hub_scope scope = ws_client_scope(client);
		unsigned code = 0;

		if (login != NULL && scope != HUB_NONE)
			code = judge(login, scope, arg);
		if (code == 0)
			continue;
		ws_client_close(client, code);
		remove_client(client, h);
	}
}

void hub_free(struct hub **hub)
{
	struct hub *h = *hub;

	if (h == NULL)
		return;
	*hub = NULL;
	hub_dismiss_all(h);
	for (size_t i = 0; i < SCOPES; i++) {
		ws_chunk_unref(&h->feeds[i].last);
		buf_done(&h->feeds[i].frames);
	}
	buf_done(&h->text);
	free(h);
}

/* --- handshakes --- */

bool hub_is_handshake(const struct http_request *request)
{
	const char *upgrade = http_request_header(request, "upgrade");

	return upgrade != NULL && strcasecmp(upgrade, "websocket") == 0;
}

/* Writes the value of Sec-WebSocket-Accept; false: the library lacks SHA-1 (a
 * restricted build). */
static bool accept_value(const char *key, char text[ACCEPT_LEN + 1])
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct buf both = { 0 };
	unsigned len = 0;
	int ok;

	buf_printf(&both, "%s%s", key, guid);
	ok = EVP_Digest(buf_head(&both), buf_len(&both), digest, &len,
			EVP_sha1(), NULL);
	buf_done(&both);
	if (!ok || len != SHA1_LEN)
		return false;
	(void)EVP_EncodeBlock((unsigned char *)text, digest, SHA1_LEN);
	return true;
}

/* Makes room for a client, perhaps in place of one that receives no events;
 * false: there are too many. */
static bool make_room(struct hub *h, enum hub_scope scope)
{
	if (h->n_clients < h->clients_max)
		return true;
	for (size_t i = 0; scope != HUB_NONE && i < h->n_clients; i++)
		if (ws_client_scope(h->clients[i]) == HUB_NONE) {
			remove_client(h->clients[i], h);
			return true;
		}
	return false;
}

static void reject(struct http_conn *conn, int status, const char *body)
{
	http_respond(conn, &(struct http_answer){
		.status = status,
		.content_type = "application/json",
		.body = body,
		.len = strlen(body),
	});
}

void hub_handshake(struct hub *h, struct http_conn *conn,
		   const struct http_request *request, enum hub_scope scope,
		   const char *login)
{
	const char *key = http_request_header(request, "sec-websocket-key");
	struct buf greeting = { 0 }, rest = { 0 };
	char accept[ACCEPT_LEN + 1];
	struct ws_client_config cfg = {
		.loop = h->loop,
		.scope = scope,
		.login = login,
		.held = &h->held,
		.on_gone = remove_client,
		.arg = h,
	};

	if (!hub_is_handshake(request)) {
		reject(conn, 400,
		       "{\"error\":\"not a WebSocket handshake: "
		       "this is the event channel\"}");
		return;
	}
	if (!make_room(h, scope)) {
		reject(conn, 503, "{\"error\":\"too many clients\"}");
		return;
	}
	/* RFC 6455 4.2.2 */
	buf_printf(&greeting, "HTTP/1.1 101 Switching Protocols\r\n"
			      "Upgrade: websocket\r\n"
			      "Connection: Upgrade\r\n");
	if (key != NULL && accept_value(key, accept))
		buf_printf(&greeting, "Sec-WebSocket-Accept: %s\r\n", accept);
	buf_printf(&greeting, "\r\n");
	cfg.fd = http_conn_take_socket(conn, &rest, &cfg.from);
	/* Queued messages are for the present clients only.  They are written
	 * later, because otherwise each of many handshakes would cost a system
	 * call for each client. */
	assign(h);
	h->clients[h->n_clients++] = ws_client_new(&cfg, &greeting, &rest);
}

/* --- messages --- */

static int append_json(const char *text, size_t len, void *arg)
{
	buf_append(arg, text, len);
	return 0;
}

static bool has_scope(const struct hub *h, enum hub_scope scope)
{
	for (size_t i = 0; i < h->n_clients; i++)
		if (ws_client_scope(h->clients[i]) == scope)
			return true;
	return false;
}

/* Does a client with this scope get a message for `least' and HUB_ALL that
 * needs these flags?  A client with HUB_REDUCED gets reduced messages only. */
static bool takes(unsigned scope, unsigned least, unsigned flags)
{
	return (scope & (HUB_EVENTS | HUB_ALL)) >= least &&
	       (scope & flags) == flags &&
	       (scope & HUB_REDUCED) == (flags & HUB_REDUCED);
}

static void queue_text(struct hub *h, const void *text, size_t len,
		       unsigned least, unsigned flags)
{
	for (unsigned scope = 0; scope < SCOPES; scope++)
		if (takes(scope, least, flags) && has_scope(h, scope))
			ws_write_text(&h->feeds[scope].frames, text, len);
}

static bool has_listeners(const struct hub *h, unsigned least, unsigned flags)
{
	for (size_t i = 0; i < h->n_clients; i++)
		if (takes(ws_client_scope(h->clients[i]), least, flags))
			return true;
	return false;
}

static void queue(struct hub *h, const json_t *message, unsigned least,
		  unsigned flags)
{
	if (!has_listeners(h, least, flags))
		return;
	buf_reset(&h->text, KEEP);
	if (json_dump_callback(message, append_json, &h->text,
			       JSON_COMPACT | json_text_flags(message)) == 0)
		queue_text(h, buf_head(&h->text), buf_len(&h->text), least,
			   flags);
}

static void plan_flush(struct hub *h, enum hub_urgency urgency)
{
	if (urgency == HUB_AT_ONCE)
		/* later, because the write may free a client of the caller */
		ev_feed_event(h->loop, &h->flush, EV_TIMER);
	else
		timer_ensure(h->loop, &h->flush, HUB_FLUSH_MS / 1e3);
}

/* Queues message for the clients with the scope `least' or HUB_ALL; in its
 * reduced form for clients with HUB_REDUCED. */
static void send_to(struct hub *h, const json_t *message, enum hub_scope least,
		    enum hub_urgency urgency)
{
	queue(h, message, least, 0);
	if (h->reduce != NULL && has_listeners(h, least, HUB_REDUCED)) {
		json_t *reduced = h->reduce(message);

		queue(h, reduced, least, HUB_REDUCED);
		json_decref(reduced);
	}
	plan_flush(h, urgency);
}

void hub_send_extra(struct hub *h, enum hub_scope extra, const json_t *message)
{
	queue(h, message, HUB_EVENTS, extra);
	plan_flush(h, HUB_SOON);
}

void hub_broadcast(struct hub *h, const json_t *message,
		   enum hub_urgency urgency)
{
	if (hub_has_listeners(h))
		send_to(h, message, HUB_EVENTS, urgency);
}

void hub_broadcast_text(struct hub *h, const char *text, size_t len,
			enum hub_urgency urgency)
{
	queue_text(h, text, len, HUB_EVENTS, 0);
	queue_text(h, text, len, HUB_EVENTS, HUB_REDUCED);
	plan_flush(h, urgency);
}

void hub_broadcast_more(struct hub *h, const json_t *message)
{
	if (hub_wants_more(h))
		send_to(h, message, HUB_ALL, HUB_SOON);
}

bool hub_has_listeners(const struct hub *h)
{
	return has_listeners(h, HUB_EVENTS, 0) ||
	       has_listeners(h, HUB_EVENTS, HUB_REDUCED);
}

bool hub_wants_more(const struct hub *h)
{
	return has_listeners(h, HUB_ALL, 0) ||
	       has_listeners(h, HUB_ALL, HUB_REDUCED);
}

bool hub_wants_extra(const struct hub *h, enum hub_scope extra)
{
	return has_listeners(h, HUB_EVENTS, extra);
}

size_t hub_clients(const struct hub *h)
{
	return h->n_clients;
}
