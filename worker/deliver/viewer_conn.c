/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer_conn.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "proto/wire/http_status.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	READ_SIZE = 4096,
	DRAIN_MAX = 64 * 1024, /* bytes read after the answer */
	ANSWER_MAX = 512,
};

static const ev_tstamp linger_s = 2.0;

static void end(struct viewer_conn *c)
{
	c->events->on_end(c, c->arg);
}

static void receive(struct viewer_conn *c)
{
	ssize_t n = recv(c->io.fd, buf_reserve(&c->in, READ_SIZE), READ_SIZE,
			 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end(c);
		return;
	}
	buf_added(&c->in, (size_t)n);
	switch (http_request_feed(c->request, &c->in)) {
	case HTTP_MORE:
		return;
	case HTTP_HAVE_HEAD:
	case HTTP_COMPLETE:
		/* the body, if any, is ignored */
		c->events->on_request(c, c->request, c->arg);
		return;
	case HTTP_FAILED:
		viewer_conn_reject(c, http_request_status(c->request));
		return;
	}
}

static void on_readable(struct ev_loop *loop, ev_io *io, int revents)
{
	(void)loop, (void)revents;
	struct viewer_conn *c = container_of(io, struct viewer_conn, io);
	uint8_t scratch[READ_SIZE];
	ssize_t n;

	if (c->request != NULL) {
		receive(c);
		return;
	}
	/* after the answer: waits for the client to close */
	n = recv(c->io.fd, scratch, sizeof scratch, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->drained += n > 0 ? (size_t)n : 0;
	if (n <= 0 || c->drained > DRAIN_MAX)
		end(c);
}

static void on_first_byte(struct first_byte_wait *wait)
{
	struct viewer_conn *c = container_of(wait, struct viewer_conn, wait);
	int fd = -ENOTCONN;

	c->fresh = false;
	if (!fd_begins_tls(c->io.fd)) {
		ev_io_start(c->loop, &c->io);
		receive(c);
		return;
	}
	if (c->peer.len > 0)
		fd = c->events->on_tls(c->io.fd, c->arg);
	if (fd < 0) {
		end(c);
		return;
	}
	/* the connection continues with the plaintext of its socket */
	ev_io_set(&c->io, fd, EV_READ);
	ev_io_start(c->loop, &c->io);
	c->secure = true;
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

	if (c->request != NULL)
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
	c->peer.len = sizeof c->peer.in6;
	if (getpeername(cfg->fd, &c->peer.sa, &c->peer.len) < 0)
		c->peer.len = 0; /* it has left again */
	c->first = cfg->first;
	c->wait = (struct first_byte_wait){ cfg->fd, on_first_byte };
	c->fresh = c->first != NULL && first_byte_add(c->first, &c->wait) == 0;
	/* bodies are not read, so none is too large */
	c->request = http_request_new(SIZE_MAX);
	ev_io_init(&c->io, on_readable, cfg->fd, EV_READ);
	if (!c->fresh)
		ev_io_start(c->loop, &c->io);
	ev_timer_init(&c->deadline, on_deadline, 0.,
		      cfg->head_ms / 1000.);
	ev_timer_again(c->loop, &c->deadline);
	return c;
}

int viewer_conn_take_fd(struct viewer_conn *c)
{
	int fd = c->io.fd;

	leave_first(c);
	ev_io_stop(c->loop, &c->io);
	c->io.fd = -1;
	return fd;
}

void viewer_conn_free(struct viewer_conn **conn)
{
	struct viewer_conn *c = *conn;
	int fd;

	if (c == NULL)
		return;
	ev_timer_stop(c->loop, &c->deadline);
	fd = viewer_conn_take_fd(c);
	fd_close(&fd);
	http_request_free(&c->request);
	buf_done(&c->in);
	free(c->address);
	free(c);
	*conn = NULL;
}

/* The buffer of a new socket has room for the whole answer.  0 or -errno. */
static int send_answer(const struct viewer_conn *c, int status,
		       const char *headers, const char *body)
{
	char text[ANSWER_MAX], date[HTTP_DATE_MAX];
	ssize_t n;

	http_date_format(date, time(NULL));
	n = snprintf(text, sizeof text,
		     "HTTP/1.1 %d %s\r\n"
		     "Date: %s\r\n"
		     "%s"
		     "Access-Control-Allow-Origin: *\r\n"
		     "Connection: close\r\n"
		     "\r\n"
		     "%s",
		     status, http_status_text(status), date, headers, body);
	assert(n > 0 && n < ANSWER_MAX);
	if (send(c->io.fd, text, (size_t)n, MSG_NOSIGNAL) == n)
		return 0;
	return -EPIPE;
}

static const char stream_headers[] = "Content-Type: video/mp2t\r\n"
				     "Cache-Control: no-cache\r\n";

static void finish(struct viewer_conn *c)
{
	(void)shutdown(c->io.fd, SHUT_WR);
	http_request_free(&c->request);
	buf_reset(&c->in, 0);
	leave_first(c);
	ev_io_start(c->loop, &c->io);
	c->deadline.repeat = linger_s;
	ev_timer_again(c->loop, &c->deadline);
}

int viewer_conn_accept(struct viewer_conn *c)
{
	return send_answer(c, 200, stream_headers, "");
}

void viewer_conn_answer_head(struct viewer_conn *c)
{
	(void)send_answer(c, 200, stream_headers, "");
	finish(c);
}

void viewer_conn_reject(struct viewer_conn *c, int status)
{
	const char *method = http_request_method(c->request);
	bool head_only = method != NULL && strcmp(method, "HEAD") == 0;
	char headers[ANSWER_MAX / 2], body[64];
	int len = snprintf(body, sizeof body, "%s\n",
			   http_status_text(status));

	(void)snprintf(headers, sizeof headers,
		       "%s%s"
		       "Content-Type: text/plain\r\n"
		       "X-Content-Type-Options: nosniff\r\n"
		       "Content-Length: %d\r\n",
		       status == 405 ? "Allow: GET, HEAD\r\n" : "",
		       status == 503 ? "Retry-After: 1\r\n" : "", len);
	(void)send_answer(c, status, headers, head_only ? "" : body);
	finish(c);
}
