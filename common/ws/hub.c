/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/ws/hub.h"

#include "common/base/alloc.h"
#include "common/http/server.h"
#include "proto/wire/json_text.h"
#include "common/ws/ws_chunk.h"
#include "common/ws/ws_client.h"
#include "common/ws/ws_handshake.h"
#include "proto/wire/ws_frame.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEEP = 65536, /* memory kept between two messages */
	EARS = HUB_ALL + 1,
};

/* What all those hear who have the same ear. */
struct feed {
	struct buf frames;     /* messages that wait for the flush */
	struct ws_chunk *last; /* written last; the next goes behind it */
};

struct hub {
	struct ev_loop *loop;
	ev_timer flush;
	struct ws_client *clients[HUB_CLIENTS_MAX]; /* by age */
	size_t n_clients;
	size_t clients_max;
	size_t held;           /* see HUB_RECEIVED_MAX */
	struct buf text;       /* one message, encoded */
	struct feed feeds[EARS]; /* that of HUB_DEAF stays empty */
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

static void flush_feed(struct hub *h, enum hub_ear ear)
{
	struct feed *f = &h->feeds[ear];
	struct ws_chunk *before = f->last;

	if (buf_len(&f->frames) == 0)
		return;
	f->last = ws_chunk_new(&f->frames, before);
	ws_chunk_unref(&before);
	/* a client may be removed by its own call: from the last one down */
	for (size_t i = h->n_clients; i-- > 0;)
		if (ws_client_ear(h->clients[i]) == ear)
			ws_client_push(h->clients[i], f->last);
}

static void flush(struct hub *h)
{
	ev_timer_stop(h->loop, &h->flush);
	flush_feed(h, HUB_EVENTS);
	flush_feed(h, HUB_ALL);
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
	for (size_t i = 0; i < EARS; i++) {
		ws_chunk_unref(&h->feeds[i].last);
		buf_done(&h->feeds[i].frames);
	}
	buf_done(&h->text);
	free(h);
}

/* A slot for one more. */
static bool make_room(struct hub *h, enum hub_ear ear)
{
	if (h->n_clients < h->clients_max)
		return true;
	for (size_t i = 0; ear != HUB_DEAF && i < h->n_clients; i++)
		if (ws_client_ear(h->clients[i]) == HUB_DEAF) {
			remove_client(h, h->clients[i]);
			return true;
		}
	return false;
}

static void adopt(struct hub *h, struct http_conn *conn,
		  const struct http_request *request, enum hub_ear ear)
{
	struct buf greeting = { 0 }, rest = { 0 };
	struct ws_client_config cfg = {
		.loop = h->loop,
		.ear = ear,
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
		   const struct http_request *request, enum hub_ear ear)
{
	if (!ws_handshake_wanted(request))
		refuse(conn, 400, "{\"error\":\"this is the event channel: "
				  "it wants a WebSocket handshake\"}");
	else if (!make_room(h, ear))
		refuse(conn, 503, "{\"error\":\"too many clients\"}");
	else
		adopt(h, conn, request, ear);
}

static int append_json(const char *text, size_t len, void *arg)
{
	buf_append(arg, text, len);
	return 0;
}

static bool has_ear(const struct hub *h, enum hub_ear ear)
{
	for (size_t i = 0; i < h->n_clients; i++)
		if (ws_client_ear(h->clients[i]) == ear)
			return true;
	return false;
}

/* To those with at least this ear. */
static void tell(struct hub *h, const json_t *message, enum hub_ear least,
		 enum hub_urgency urgency)
{
	buf_reset(&h->text, KEEP);
	if (json_dump_callback(message, append_json, &h->text,
			       JSON_COMPACT | json_text_flags(message)) < 0)
		return;
	for (unsigned ear = least; ear < EARS; ear++)
		if (has_ear(h, ear))
			ws_write_text(&h->feeds[ear].frames,
				      buf_head(&h->text), buf_len(&h->text));
	if (urgency == HUB_AT_ONCE) {
		/* not from here: a client may end, and more may follow */
		ev_feed_event(h->loop, &h->flush, EV_TIMER);
	} else if (!ev_is_active(&h->flush)) {
		ev_timer_set(&h->flush, HUB_FLUSH_MS / 1e3, 0);
		ev_timer_start(h->loop, &h->flush);
	}
}

void hub_broadcast(struct hub *h, const json_t *message,
		   enum hub_urgency urgency)
{
	if (hub_has_listeners(h))
		tell(h, message, HUB_EVENTS, urgency);
}

void hub_broadcast_more(struct hub *h, const json_t *message)
{
	if (hub_wants_more(h))
		tell(h, message, HUB_ALL, HUB_SOON);
}

bool hub_has_listeners(const struct hub *h)
{
	return has_ear(h, HUB_EVENTS) || has_ear(h, HUB_ALL);
}

bool hub_wants_more(const struct hub *h)
{
	return has_ear(h, HUB_ALL);
}

size_t hub_clients(const struct hub *h)
{
	return h->n_clients;
}
