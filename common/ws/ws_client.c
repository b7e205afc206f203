/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/ws/ws_client.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/loop/timer.h"
#include "proto/wire/ws_frame.h"

#include <errno.h>
#include <ev.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	READ_MAX = 4096, /* bytes per wake-up */
	/* bytes; above it no bytes of the client are read */
	REPLIES_MAX = 4096,
	PIECES_MAX = 16, /* buffers per sendmsg() */
	CLOSE_MS = 2000, /* time for the peer to read the close frame */
	/* a client whose TCP does not answer for this time is closed */
	DEAD_AFTER_S = 60,
};

enum client_state {
	CLIENT_OPEN,
	CLIENT_CLOSING, /* writes its close frame */
	CLIENT_DRAINING, /* waits until the peer closes */
};

struct ws_client {
	struct ws_client_config cfg;
	char *login; /* NULL: none */
	enum client_state state;
	ev_io readable;
	ev_io writable;
	ev_timer close_timer;
	struct ws_reader *reader;
	struct buf in;
	struct buf replies; /* frames (pong, close), sent between chunks */
	struct ws_chunk *at; /* chunk being written; NULL: none */
	size_t offset;       /* bytes of `at` already written */
	size_t backlog;      /* bytes of chunks not yet written */
	size_t held; /* bytes of this client in *cfg.held */
};

/* --- chunks of frames --- */

struct ws_chunk *ws_chunk_new(struct buf *frames, struct ws_chunk *last)
{
	struct ws_chunk *c = xcalloc(1, sizeof *c);

	c->refs = 1;
	c->frames = *frames;
	*frames = (struct buf){ 0 };
	if (last != NULL)
		last->next = ws_chunk_ref(c);
	return c;
}

struct ws_chunk *ws_chunk_ref(struct ws_chunk *c)
{
	c->refs++;
	return c;
}

void ws_chunk_unref(struct ws_chunk **chunk)
{
	struct ws_chunk *c = *chunk;

	*chunk = NULL;
	while (c != NULL && --c->refs == 0) {
		struct ws_chunk *next = c->next;

		buf_done(&c->frames);
		free(c);
		c = next;
	}
}

/* --- clients --- */

static void hold(struct ws_client *c, size_t bytes)
{
	*c->cfg.held += bytes - c->held;
	c->held = bytes;
}

static void gone(struct ws_client *c)
{
	c->cfg.on_gone(c, c->cfg.arg);
}

/* Writes to v what is sent next: the remainder of a started chunk, then
 * replies, then whole chunks.  Returns the number of entries. */
static unsigned gather(const struct ws_client *c, struct iovec *v)
{
	const struct ws_chunk *k = c->at;
	unsigned n = 0;

	if (k && c->offset > 0) {
		v[n++] = (struct iovec){
			.iov_base = buf_at(&k->frames, c->offset),
			.iov_len = buf_len(&k->frames) - c->offset,
		};
		k = k->next;
	}
	if (buf_len(&c->replies) > 0)
		v[n++] = (struct iovec){ .iov_base = buf_head(&c->replies),
					 .iov_len = buf_len(&c->replies) };
	for (; k && n < PIECES_MAX && c->state == CLIENT_OPEN; k = k->next)
		v[n++] = (struct iovec){ .iov_base = buf_head(&k->frames),
					 .iov_len = buf_len(&k->frames) };
	return n;
}

/* Drops all chunks except the remainder of a started one. */
static void drop_chunks(struct ws_client *c)
{
	c->backlog = 0;
	if (c->offset == 0)
		ws_chunk_unref(&c->at);
	else
		c->backlog = buf_len(&c->at->frames) - c->offset;
}

/* Notes that n bytes of those from gather() were written. */
static void advance(struct ws_client *c, size_t n)
{
	bool replies_next = c->offset == 0;
	struct ws_chunk *next;

	while (n > 0) {
		size_t some;

		if (replies_next && buf_len(&c->replies) > 0) {
			some = MIN(n, buf_len(&c->replies));
			buf_take(&c->replies, some);
		} else {
			some = MIN(n, buf_len(&c->at->frames) - c->offset);
			c->offset += some;
			c->backlog -= some;
			if (c->offset == buf_len(&c->at->frames)) {
				next = c->state == CLIENT_OPEN ? c->at->next
							       : NULL;
				if (next)
					ws_chunk_ref(next);
				ws_chunk_unref(&c->at);
				c->at = next;
				c->offset = 0;
			}
		}
		replies_next = true;
		n -= some;
	}
}

static bool has_more(const struct ws_client *c)
{
	return c->at || buf_len(&c->replies) > 0;
}

/* Writes once with sendmsg(); 0 or -errno. */
static int write_some(struct ws_client *c)
{
	struct iovec pieces[PIECES_MAX];
	struct msghdr m = { .msg_iov = pieces,
			    .msg_iovlen = gather(c, pieces) };
	ssize_t n;

	if (m.msg_iovlen == 0)
		return 0;
	n = sendmsg(c->cfg.fd, &m, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	advance(c, (size_t)n);
	return 0;
}

/* Writes what waits for the client.  May free c: do not use it after this
 * call. */
static void client_write(struct ws_client *c)
{
	int err = write_some(c);

	if (err < 0 && err != -EAGAIN) {
		gone(c);
		return;
	}
	if (has_more(c)) {
		ev_io_start(c->cfg.loop, &c->writable);
		return;
	}
	ev_io_stop(c->cfg.loop, &c->writable);
	buf_reset(&c->replies, REPLIES_MAX);
	if (c->state == CLIENT_CLOSING) {
		c->state = CLIENT_DRAINING;
		(void)shutdown(c->cfg.fd, SHUT_WR);
	}
	if (!ev_is_active(&c->readable)) {
		ev_io_start(c->cfg.loop, &c->readable);
		ev_feed_event(c->cfg.loop, &c->readable, EV_READ);
	}
}

/* Ends the client with a close frame; code 0: without one.  Nothing may follow
 * this call. */
static void finish(struct ws_client *c, unsigned code)
{
	c->state = CLIENT_CLOSING;
	drop_chunks(c);
	hold(c, 0);
	if (code)
		ws_write_close(&c->replies, code);
	timer_start(c->cfg.loop, &c->close_timer, CLOSE_MS / 1e3);
	client_write(c);
}

/* Handles an event of the reader; false: the client must be finished with
 * *ret_code. */
static bool take_event(struct ws_client *c, enum ws_event event,
		       unsigned *ret_code)
{
	size_t len;
	const uint8_t *data = ws_reader_payload(c->reader, &len);

	switch (event) {
	case WS_TEXT:
		*ret_code = WS_POLICY;
		if (len != 4 || memcmp(data, "ping", 4) != 0)
			return false;
		ws_write_text(&c->replies, "pong", 4);
		return true;
	case WS_PING:
		ws_write_pong(&c->replies, data, len);
		return true;
	case WS_PONG:
		return true;
	case WS_VIOLATION:
		*ret_code = WS_PROTOCOL_ERROR;
		return false;
	/* no close frame answers a close frame of the client, or its end */
	default:
		*ret_code = 0;
		return false;
	}
}

/* Handles the received frames.  May free c: do not use it after this call. */
static void read_frames(struct ws_client *c)
{
	unsigned code;

	while (buf_len(&c->replies) <= REPLIES_MAX) {
		enum ws_event event = ws_reader_feed(c->reader, &c->in);

		if (event == WS_MORE)
			break;
		if (!take_event(c, event, &code)) {
			finish(c, code);
			return;
		}
	}
	hold(c, ws_reader_held(c->reader));
	if (*c->cfg.held > HUB_RECEIVED_MAX && c->held > READ_MAX) {
		finish(c, 0);
		return;
	}
	/* stops reading while the client does not read its answers */
	if (buf_len(&c->replies) > REPLIES_MAX)
		ev_io_stop(c->cfg.loop, &c->readable);
	client_write(c);
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct ws_client *c = container_of(w, struct ws_client, readable);
	bool open = c->state == CLIENT_OPEN;
	ssize_t n;

	(void)loop, (void)revents;
	if (open)
		n = recv(c->cfg.fd, buf_reserve(&c->in, READ_MAX), READ_MAX, 0);
	else
		n = fd_discard(c->cfg.fd, READ_MAX * 16);
	if (open && n < 0)
		n = -errno;
	if (n == 0 || (n < 0 && n != -EAGAIN && n != -EINTR)) {
		gone(c);
		return;
	}
	if (!open)
		return;
	if (n > 0)
		buf_added(&c->in, (size_t)n);
	/* c may be freed in here: nothing after the call */
	read_frames(c);
}

static void on_writable(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop, (void)revents;
	client_write(container_of(w, struct ws_client, writable));
}

static void on_close_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	gone(container_of(w, struct ws_client, close_timer));
}

struct ws_client *ws_client_new(const struct ws_client_config *cfg,
				struct buf *greeting, struct buf *rest)
{
	int on = 1, idle = DEAD_AFTER_S, interval = 10, count = 6;
	unsigned timeout_ms = DEAD_AFTER_S * 1000;
	struct ws_client *c = xcalloc(1, sizeof *c);

	c->cfg = *cfg;
	c->login = cfg->login != NULL ? xstrdup(cfg->login) : NULL;
	c->reader = ws_reader_new();
	c->replies = *greeting;
	c->in = *rest;
	*greeting = *rest = (struct buf){ 0 };
	/* no pings: TCP keepalive detects a client that has vanished */
	(void)setsockopt(cfg->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	(void)setsockopt(cfg->fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle,
	                 sizeof idle);
	(void)setsockopt(cfg->fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval,
			 sizeof interval);
	(void)setsockopt(cfg->fd, IPPROTO_TCP, TCP_KEEPCNT, &count,
	                 sizeof count);
	(void)setsockopt(cfg->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms,
			 sizeof timeout_ms);
	ev_io_init(&c->readable, on_readable, cfg->fd, EV_READ);
	ev_io_init(&c->writable, on_writable, cfg->fd, EV_WRITE);
	ev_init(&c->close_timer, on_close_timer);
	ev_io_start(cfg->loop, &c->readable);
	/* writes the greeting and reads rest */
	ev_feed_event(cfg->loop, &c->readable, EV_READ);
	return c;
}

void ws_client_free(struct ws_client **client)
{
	struct ws_client *c = *client;

	if (c == NULL)
		return;
	*client = NULL;
	ev_io_stop(c->cfg.loop, &c->readable);
	ev_io_stop(c->cfg.loop, &c->writable);
	ev_timer_stop(c->cfg.loop, &c->close_timer);
	hold(c, 0);
	fd_close(&c->cfg.fd);
	peer_leave(&c->cfg.from);
	ws_reader_free(&c->reader);
	ws_chunk_unref(&c->at);
	buf_done(&c->in);
	buf_done(&c->replies);
	free(c->login);
	free(c);
}

enum hub_scope ws_client_scope(const struct ws_client *c)
{
	return c->state == CLIENT_OPEN ? c->cfg.scope : HUB_NONE;
}

const char *ws_client_login(const struct ws_client *c)
{
	return c->login;
}

void ws_client_add(struct ws_client *c, struct ws_chunk *chunk)
{
	if (c->at == NULL)
		c->at = ws_chunk_ref(chunk);
	c->backlog += buf_len(&chunk->frames);
}

void ws_client_flush(struct ws_client *c)
{
	if (c->backlog > HUB_BACKLOG_MAX)
		(void)write_some(c); /* an error is reported below */
	if (c->backlog > HUB_BACKLOG_MAX) {
		log_warning("ws", "WebSocket client buffer full, slow client, "
			    "disconnecting");
		finish(c, WS_GOING_AWAY);
	} else if (c->at != NULL && !ev_is_active(&c->writable)) {
		client_write(c);
	}
}

void ws_client_close(struct ws_client *c, unsigned code)
{
	while (c->state == CLIENT_OPEN && has_more(c))
		if (write_some(c) < 0)
			break;
	if (c->state == CLIENT_OPEN) {
		c->state = CLIENT_CLOSING;
		drop_chunks(c);
		ws_write_close(&c->replies, code);
		(void)write_some(c);
	}
	/* unread bytes would turn the close into a reset */
	(void)fd_discard(c->cfg.fd, READ_MAX * 16);
}
