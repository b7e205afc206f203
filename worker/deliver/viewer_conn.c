/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer_conn.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/ip_prefix.h"
#include "proto/wire/http_status.h"
#include "worker/core/kernel_tls.h"
#include "worker/deliver/blob.h"
#include "worker/deliver/peer_link.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	READ_SIZE = 4096, /* most bytes read ahead of a request */
	HEAD_MAX = 8191, /* bytes of a head, without its terminating 0 */
	DRAIN_MAX = 64 * 1024, /* bytes read after the last answer */
	BLOB_MAX = 1 << 20,    /* bytes of a blob sent in one wake-up */
};

static const ev_tstamp linger_s = 2.0;

static void end(struct viewer_conn *c)
{
	c->events->on_end(c, c->arg);
}

/* The socket to which answers are sent: with TLS by the kernel, that of the
 * client. */
static int answer_fd(const struct viewer_conn *c)
{
	return c->kernel ? c->outer : c->fd;
}

bool viewer_conn_is_copied(const struct viewer_conn *c)
{
	return (c->secure || c->local) && !c->kernel;
}

static void watch(struct viewer_conn *c, int events)
{
	int fd = events & EV_WRITE ? answer_fd(c) : c->fd;

	if (ev_is_active(&c->io) && c->io.fd == fd &&
	    (c->io.events & (EV_READ | EV_WRITE)) == events)
		return;
	ev_io_stop(c->loop, &c->io);
	/* the socket stays in epoll: a change costs no system call */
	if (c->io.fd == fd)
		ev_io_modify(&c->io, events);
	else
		ev_io_set(&c->io, fd, events);
	if (events != 0)
		ev_io_start(c->loop, &c->io);
}

/* Chooses who encrypts the answers, after the TLS handshake: the kernel, if it
 * can for this connection, or the tls worker. */
static void choose_cipher(struct viewer_conn *c)
{
	if (c->outer < 0 || c->kernel)
		return;
	c->kernel = kernel_tls_sends(c->outer);
	if (!c->kernel)
		fd_close(&c->outer);
}

static void set_deadline(struct viewer_conn *c, ev_tstamp s)
{
	c->deadline.repeat = s;
	ev_timer_again(c->loop, &c->deadline);
}

/* Waits for more bytes of a head, or for the first byte of the next request,
 * each with its own time limit. */
static void want_more(struct viewer_conn *c)
{
	bool begun = http_request_begun(c->request) || !c->used;

	if (!ev_is_active(&c->deadline) || begun != c->begun)
		set_deadline(c, (begun ? c->head_ms : c->idle_ms) / 1000.);
	c->begun = begun;
	watch(c, EV_READ);
}

/* Handles the bytes that were read.  May free c, so the caller must return. */
static void advance(struct viewer_conn *c)
{
	switch (http_request_feed(c->request, &c->in)) {
	case HTTP_MORE:
		want_more(c);
		return;
	case HTTP_HAVE_HEAD:
	case HTTP_COMPLETE:
		choose_cipher(c);
		ev_timer_stop(c->loop, &c->deadline);
		c->keep = http_request_keep_alive(c->request) &&
			  !http_request_has_body(c->request);
		c->state = CONN_ASKED;
		watch(c, EV_READ);
		c->events->on_request(c, c->request, c->arg);
		return;
	case HTTP_FAILED:
		viewer_conn_reject(c, http_request_status(c->request));
		return;
	}
}

/* True if the client has not acknowledged the whole range of a ring that was
 * its last answer.  The next answer waits for that.  A client that sends its
 * next request after the answer has acknowledged it. */
static bool is_held(struct viewer_conn *c)
{
	enum ring_body_state state;

	if (!ring_body_is_active(&c->body))
		return false;
	state = ring_body_check(&c->body);
	c->lost = state == RING_BODY_LOST;
	return state != RING_BODY_DONE;
}

/* Waits until the client has acknowledged the range, or ends the connection if
 * the range is lost.  The caller must return. */
static void wait_while_held(struct viewer_conn *c)
{
	c->body.awaited = true;
	if (c->lost)
		end(c);
	else
		watch(c, 0); /* a pass calls on_body_end() */
}

static void receive(struct viewer_conn *c)
{
	size_t room = READ_SIZE - buf_len(&c->in);
	ssize_t n;

	if (c->state == CONN_READING && is_held(c)) {
		wait_while_held(c);
		return;
	}
	if (c->state == CONN_READING && buf_len(&c->in) > 0) {
		advance(c);
		return;
	}
	if (room == 0) {
		watch(c, 0);
		return;
	}
	n = recv(c->fd, buf_reserve(&c->in, room), room, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end(c);
		return;
	}
	buf_added(&c->in, (size_t)n);
	if (c->state == CONN_READING)
		advance(c);
}

/* Discards bytes after the last answer, until the client closes. */
static void drain(struct viewer_conn *c)
{
	uint8_t scratch[READ_SIZE];
	ssize_t n = recv(c->fd, scratch, sizeof scratch, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->drained += n > 0 ? (size_t)n : 0;
	if (n <= 0 || c->drained > DRAIN_MAX)
		end(c);
}

/* Continues after an answer: with the next request, or by closing.  May free c,
 * so the caller must return. */
static void answered(struct viewer_conn *c)
{
	http_request_reset(c->request);
	buf_reset(&c->out, 0);
	ev_timer_stop(c->loop, &c->deadline);
	c->events->on_idle(c, c->arg);
	if (!c->keep) {
		if (c->kernel)
			kernel_tls_end(c->outer);
		else
			(void)shutdown(c->fd, SHUT_WR);
		buf_reset(&c->in, 0);
		c->state = CONN_CLOSING;
		c->body.awaited = true;
		watch(c, EV_READ);
		if (ring_body_is_active(&c->body))
			ev_timer_again(c->loop, &c->deadline);
		else
			set_deadline(c, linger_s);
		return;
	}
	c->state = CONN_READING;
	c->used = true;
	if (buf_len(&c->in) == 0)
		buf_reset(&c->in, 0);
	if (buf_len(&c->in) == 0)
		want_more(c);
	else if (!is_held(c))
		advance(c);
	else
		wait_while_held(c);
}

static void count(const struct viewer_conn *c, uint64_t bytes)
{
	if (c->sent != NULL)
		*c->sent += bytes;
}

/* Sends the rest of c->blob.  True: all was sent.  False: sending continues
 * when the socket is writable, or the connection has ended. */
static bool send_blob(struct viewer_conn *c)
{
	while (c->blob_pos < c->blob_end) {
		ssize_t n = send(answer_fd(c), c->blob->data + c->blob_pos,
				 MIN(c->blob_end - c->blob_pos,
				     (size_t)BLOB_MAX), MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			watch(c, EV_WRITE);
			return false;
		}
		if (n <= 0) {
			end(c);
			return false;
		}
		c->blob_pos += (size_t)n;
		count(c, (uint64_t)n);
		/* the next wake-up sends more, after other clients */
		if (n == BLOB_MAX) {
			watch(c, EV_WRITE);
			return false;
		}
	}
	blob_unref(&c->blob);
	return true;
}

/* Sends the answer.  May free c, so the caller must return. */
static void send_answer(struct viewer_conn *c)
{
	while (buf_len(&c->out) > 0) {
		ssize_t n = send(answer_fd(c), buf_head(&c->out),
				 buf_len(&c->out), MSG_NOSIGNAL |
				 (c->more_body || c->blob != NULL
					  ? MSG_MORE : 0));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			watch(c, EV_WRITE);
			return;
		}
		if (n <= 0) {
			end(c);
			return;
		}
		buf_take(&c->out, (size_t)n);
		count(c, (uint64_t)n);
	}
	if (c->blob != NULL && !send_blob(c))
		return;
	if (c->more_body) {
		uint64_t from = c->body.pos;
		enum ring_body_state state = ring_body_send(&c->body);

		count(c, c->body.pos - from);
		switch (state) {
		case RING_BODY_BLOCKED:
		case RING_BODY_MORE:
			watch(c, EV_WRITE);
			return;
		case RING_BODY_LOST:
			c->lost = true;
			end(c);
			return;
		case RING_BODY_HELD:
		case RING_BODY_DONE:
			c->more_body = false;
		}
	}
	answered(c);
}

static void on_io(struct ev_loop *loop, ev_io *io, int revents)
{
	(void)loop, (void)revents;
	struct viewer_conn *c = container_of(io, struct viewer_conn, io);

	if (c->lost) {
		end(c);
		return;
	}
	switch (c->state) {
	case CONN_READING:
	case CONN_ASKED:
		receive(c);
		return;
	case CONN_ANSWERING:
		send_answer(c);
		return;
	case CONN_CLOSING:
		drain(c);
		return;
	}
}

/* Notes the end of the range, and handles it later, because the pass continues
 * with other clients. */
static void on_body_end(struct ring_body *b, enum ring_body_state state)
{
	struct viewer_conn *c = container_of(b, struct viewer_conn, body);

	c->lost = state == RING_BODY_LOST;
	if (c->state == CONN_CLOSING)
		set_deadline(c, linger_s);
	ev_feed_event(c->loop, &c->io, EV_CUSTOM);
}

static void on_first_byte(struct first_byte_wait *wait)
{
	struct viewer_conn *c = container_of(wait, struct viewer_conn, wait);
	int fd = -ENOTCONN;

	c->fresh = false;
	if (!fd_begins_tls(c->fd)) {
		watch(c, EV_READ);
		receive(c);
		return;
	}
	if (c->peer.len > 0)
		fd = c->events->on_tls(c->fd, c->arg);
	if (fd < 0) {
		end(c);
		return;
	}
	/* the connection continues with the plaintext of its socket */
	c->outer = c->fd;
	c->fd = fd;
	c->secure = true;
	if (!c->kernel_tls)
		fd_close(&c->outer);
	watch(c, EV_READ);
}

static void leave_first(struct viewer_conn *c)
{
	if (c->fresh)
		first_byte_remove(c->first, &c->wait);
	c->fresh = false;
}

static void on_deadline(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)loop, (void)revents;
	struct viewer_conn *c =
		container_of(timer, struct viewer_conn, deadline);

	if (c->state == CONN_READING && c->begun)
		viewer_conn_reject(c, 408);
	else
		end(c);
}

struct viewer_conn *viewer_conn_new(const struct viewer_conn_config *cfg)
{
	struct viewer_conn *c = xcalloc(1, sizeof *c);

	c->loop = cfg->loop;
	c->address = xstrdup(cfg->address);
	c->events = cfg->events;
	c->arg = cfg->arg;
	c->head_ms = cfg->head_ms;
	c->idle_ms = cfg->idle_ms;
	c->answer_ms = cfg->answer_ms;
	c->answer_rate = cfg->answer_rate;
	c->peer.len = sizeof c->peer.in6;
	if (getpeername(cfg->fd, &c->peer.sa, &c->peer.len) < 0)
		c->peer.len = 0; /* the client has already left */
	c->local = cfg->links != NULL &&
		   !peer_link_is_device(cfg->links, cfg->fd);
	c->first = cfg->first;
	c->wait = (struct first_byte_wait){ cfg->fd, on_first_byte };
	c->fresh = c->first != NULL && first_byte_add(c->first, &c->wait) == 0;
	/* bodies are not read, so none is too large */
	c->request = http_request_new(SIZE_MAX);
	http_request_set_head_max(c->request, HEAD_MAX);
	c->body.on_end = on_body_end;
	c->fd = cfg->fd;
	c->outer = -1;
	c->kernel_tls = cfg->kernel_tls;
	ev_io_init(&c->io, on_io, cfg->fd, EV_READ);
	if (!c->fresh)
		ev_io_start(c->loop, &c->io);
	ev_init(&c->deadline, on_deadline);
	/* if this process was late, it first reads a request that waits */
	ev_set_priority(&c->deadline, EV_MINPRI);
	c->begun = true;
	set_deadline(c, c->head_ms / 1000.);
	return c;
}

void viewer_conn_begin(struct viewer_conn *c, const char *head,
		       const struct sockaddr_any *peer)
{
	c->secure = peer != NULL;
	if (peer != NULL)
		c->peer = *peer;
	buf_append(&c->in, head, strlen(head));
	advance(c);
}

bool viewer_conn_is_idle(const struct viewer_conn *c)
{
	return c->state == CONN_READING && c->used && !c->begun && !c->lost &&
	       buf_len(&c->in) == 0 && !ring_body_is_active(&c->body);
}

int viewer_conn_take_fd(struct viewer_conn *c)
{
	int fd = answer_fd(c);

	leave_first(c);
	ev_io_stop(c->loop, &c->io);
	/* the tls worker closes its socket when that of the plaintext ends */
	if (c->kernel)
		fd_close(&c->fd);
	else
		fd_close(&c->outer);
	c->fd = c->outer = -1;
	return fd;
}

void viewer_conn_free(struct viewer_conn **conn)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	struct viewer_conn *c = *conn;
	int fd;

	if (c == NULL)
		return;
	ev_timer_stop(c->loop, &c->deadline);
	fd = viewer_conn_take_fd(c);
	/* the client must not get bytes that the writer will change */
	if (fd >= 0 && (ring_body_is_active(&c->body) || c->lost))
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset,
				 sizeof reset);
	ring_body_stop(&c->body);
	blob_unref(&c->blob);
	fd_close(&fd);
	http_request_free(&c->request);
	buf_done(&c->in);
	buf_done(&c->out);
	free(c->address);
	free(c);
	*conn = NULL;
}

static void write_head(const struct viewer_conn *c, struct buf *out,
		       int status, const char *headers)
{
	char date[HTTP_DATE_MAX];

	http_date_format(date, time(NULL));
	buf_printf(out,
		   "HTTP/1.1 %d %s\r\n"
		   "Date: %s\r\n"
		   "%s"
		   "Access-Control-Allow-Origin: *\r\n"
		   "Connection: %s\r\n",
		   status, http_status_text(status), date,
		   headers != NULL ? headers : "",
		   c->keep ? "keep-alive" : "close");
}

/* Sends c->out, and the body, in this iteration of the loop. */
static void begin_answer(struct viewer_conn *c, uint64_t body_len)
{
	const int on = 1;

	if (!c->secure && !c->nodelay)
		(void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on,
				 sizeof on);
	c->nodelay = true;
	leave_first(c);
	c->state = CONN_ANSWERING;
	set_deadline(c, c->answer_ms / 1000. +
			(double)(buf_len(&c->out) + body_len) / c->answer_rate);
	watch(c, 0);
	ev_feed_event(c->loop, &c->io, EV_CUSTOM);
}

void viewer_conn_answer(struct viewer_conn *c, const struct viewer_answer *a)
{
	bool head_only = strcmp(http_request_method(c->request), "HEAD") == 0;
	/* RFC 9110 8.6: these never have a body or its length */
	bool bodiless = a->status == 204 || a->status == 304;
	uint64_t len = a->body != NULL ? a->len : a->end - a->start;

	write_head(c, &c->out, a->status, a->headers);
	if (bodiless)
		buf_printf(&c->out, "\r\n");
	else
		buf_printf(&c->out, "Content-Length: %ju\r\n\r\n",
			   (uintmax_t)len);
	c->more_body = false;
	if (bodiless || head_only) {
		len = 0;
	} else if (a->blob != NULL) {
		c->blob = blob_ref(a->blob);
		c->blob_pos = (size_t)a->start;
		c->blob_end = (size_t)a->end;
	} else if (a->body != NULL) {
		buf_append(&c->out, a->body, a->len);
		len = 0;
	} else if (a->mount != NULL && len > 0) {
		c->body.fd = answer_fd(c);
		c->body.copied = viewer_conn_is_copied(c);
		ring_body_start(&c->body, a->mount, a->start, a->end);
		c->more_body = true;
	}
	begin_answer(c, len);
}

static const char stream_headers[] = "Content-Type: video/mp2t\r\n"
				     "Cache-Control: no-cache\r\n";

int viewer_conn_accept(struct viewer_conn *c)
{
	struct buf *out = &c->out;
	ssize_t n;

	if (is_held(c))
		return -EPIPE;
	c->keep = false;
	write_head(c, out, 200, stream_headers);
	buf_printf(out, "\r\n");
	/* fits into the socket: the client has read all earlier answers */
	n = send(answer_fd(c), buf_head(out), buf_len(out), MSG_NOSIGNAL);
	return n == (ssize_t)buf_len(out) ? 0 : -EPIPE;
}

void viewer_conn_answer_head(struct viewer_conn *c, const char *headers)
{
	c->keep = false;
	write_head(c, &c->out, 200, headers != NULL ? headers : stream_headers);
	buf_printf(&c->out, "\r\n");
	begin_answer(c, 0);
}

static void reject(struct viewer_conn *c, int status, const char *headers)
{
	const char *method = http_request_method(c->request);
	bool head_only = method != NULL && strcmp(method, "HEAD") == 0;
	const char *text = http_status_text(status);

	c->keep = false;
	buf_reset(&c->out, 0);
	write_head(c, &c->out, status, headers);
	buf_printf(&c->out,
		   "Content-Type: text/plain\r\n"
		   "X-Content-Type-Options: nosniff\r\n"
		   "Content-Length: %zu\r\n\r\n", strlen(text) + 1);
	if (!head_only)
		buf_printf(&c->out, "%s\n", text);
	begin_answer(c, 0);
}

void viewer_conn_reject(struct viewer_conn *c, int status)
{
	reject(c, status, status == 503 ? "Retry-After: 1\r\n" : NULL);
}

void viewer_conn_reject_method(struct viewer_conn *c, bool options)
{
	reject(c, 405, options ? "Allow: GET, HEAD, OPTIONS\r\n"
			       : "Allow: GET, HEAD\r\n");
}
