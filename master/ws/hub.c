/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/ws/hub.h"

#include "common/alloc.h"
#include "master/http/server.h"
#include "proto/json_text.h"
#include "master/ws/chunk.h"
#include "master/ws/client.h"
#include "master/ws/handshake.h"
#include "proto/ws_frame.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 65536 }; /* memory kept between two messages */

struct hub {
	struct ev_loop *loop;
	ev_timer flush;
	struct ws_client *clients[HUB_CLIENTS_MAX]; /* by age */
	size_t n_clients;
	size_t clients_max;
	size_t held;           /* see HUB_RECEIVED_MAX */
	struct buf text;       /* one message, encoded */
	struct buf frames;     /* messages that wait for the flush */
	struct ws_chunk *last; /* written last; the next goes behind it */
};

static void remove_client(struct hub *h, struct ws_client *client)
{
	size_t i = 0;

	while (h->clients[i] != client)
		i++;
	h->n_clients--;
	memmove(&h->clients[i], &h->clients[i + 1],
		(h->n_clients - i) * sizeof h->clients[0]);
	ws_client_free(&client);
}

static void on_client_gone(struct ws_client *client, void *arg)
{
	remove_client(arg, client);
}

static void flush(struct hub *h)
{
	struct ws_chunk *before = h->last;

	ev_timer_stop(h->loop, &h->flush);
	if (buf_len(&h->frames) == 0)
		return;
	h->last = ws_chunk_new(&h->frames, before);
	ws_chunk_unref(&before);
	/* a client may be removed by its own call: from the last one down */
	for (size_t i = h->n_clients; i-- > 0;)
		if (ws_client_listens(h->clients[i]))
			ws_client_push(h->clients[i], h->last);
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
	ev_timer_init(&h->flush, on_flush, HUB_FLUSH_MS / 1e3, 0);
	return h;
}

void hub_limit(struct hub *h, size_t clients_max)
{
	h->clients_max = MIN(clients_max, (size_t)HUB_CLIENTS_MAX);
}

void hub_dismiss_all(struct hub *h)
{
	flush(h);
	while (h->n_clients > 0) {
		struct ws_client *last = h->clients[h->n_clients - 1];

		ws_client_farewell(last, WS_GOING_AWAY);
		remove_client(h, last);
	}
}

void hub_free(struct hub **hub)
{
	struct hub *h = *hub;

	if (!h)
		return;
	*hub = NULL;
	hub_dismiss_all(h);
	ws_chunk_unref(&h->last);
	buf_done(&h->text);
	buf_done(&h->frames);
	free(h);
}

/* A slot for one more. */
static bool make_room(struct hub *h, bool listener)
{
	if (h->n_clients < h->clients_max)
		return true;
	for (size_t i = 0; listener && i < h->n_clients; i++)
		if (!ws_client_listens(h->clients[i])) {
			remove_client(h, h->clients[i]);
			return true;
		}
	return false;
}

static void adopt(struct hub *h, struct http_conn *conn,
		  const struct http_request *request, bool listener)
{
	struct buf greeting = { 0 }, rest = { 0 };
	struct ws_client_config cfg = {
		.loop = h->loop,
		.listener = listener,
		.held = &h->held,
		.on_gone = on_client_gone,
		.arg = h,
	};

	ws_handshake_write(&greeting, request);
	cfg.fd = http_conn_take_socket(conn, &rest, &cfg.from);
	/* what was said before it came is not for it */
	flush(h);
	h->clients[h->n_clients++] = ws_client_new(&cfg, &greeting, &rest);
}

static void refuse(struct http_conn *conn, int status, const char *body)
{
	http_respond(conn, &(struct http_answer){
		.status = status,
		.content_type = "application/json",
		.body = body,
		.len = strlen(body),
	});
}

void hub_handshake(struct hub *h, struct http_conn *conn,
		   const struct http_request *request, bool listener)
{
	if (!ws_handshake_wanted(request))
		refuse(conn, 400, "{\"error\":\"this is the event channel: "
				  "it wants a WebSocket handshake\"}");
	else if (!make_room(h, listener))
		refuse(conn, 503, "{\"error\":\"too many clients\"}");
	else
		adopt(h, conn, request, listener);
}

static int append_json(const char *text, size_t len, void *arg)
{
	buf_append(arg, text, len);
	return 0;
}

void hub_broadcast(struct hub *h, const json_t *message,
		   enum hub_urgency urgency)
{
	if (!hub_has_listeners(h))
		return;
	buf_reset(&h->text, KEEP);
	if (json_dump_callback(message, append_json, &h->text,
			       JSON_COMPACT | json_text_flags(message)) < 0)
		return;
	ws_write_text(&h->frames, buf_head(&h->text), buf_len(&h->text));
	if (urgency == HUB_AT_ONCE) {
		/* not from here: a client may end, and more may follow */
		ev_feed_event(h->loop, &h->flush, EV_TIMER);
	} else if (!ev_is_active(&h->flush)) {
		ev_timer_set(&h->flush, HUB_FLUSH_MS / 1e3, 0);
		ev_timer_start(h->loop, &h->flush);
	}
}

bool hub_has_listeners(const struct hub *h)
{
	for (size_t i = 0; i < h->n_clients; i++)
		if (ws_client_listens(h->clients[i]))
			return true;
	return false;
}

size_t hub_clients(const struct hub *h)
{
	return h->n_clients;
}
