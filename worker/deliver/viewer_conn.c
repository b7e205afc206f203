/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer_conn.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "worker/deliver/http_answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	READ_SIZE = 4096,
	DRAIN_MAX = 64 * 1024, /* after the answer */
};

static const ev_tstamp linger_s = 2.0;

static void end(struct viewer_conn *c)
{
	c->events->on_end(c, c->arg);
}

/* After the answer: waits for the client to close. */
static void drain(struct viewer_conn *c)
{
	uint8_t scratch[READ_SIZE];
	ssize_t n = recv(c->io.fd, scratch, sizeof scratch, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->drained += n > 0 ? (size_t)n : 0;
	if (n <= 0 || c->drained > DRAIN_MAX)
		end(c);
}

/* The connection continues with the plaintext of its socket. */
static void start_tls(struct viewer_conn *c)
{
	struct sockaddr_any peer = { .len = sizeof peer.in6 };
	int fd = -ENOTCONN;

	if (getpeername(c->io.fd, &peer.sa, &peer.len) == 0)
		fd = c->events->on_tls(c->io.fd, c->arg);
	if (fd < 0) {
		end(c);
		return;
	}
	ev_io_set(&c->io, fd, EV_READ);
	ev_io_start(c->loop, &c->io);
	c->secure = true;
	c->peer = peer;
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
		viewer_conn_reject(c,
				   (unsigned)http_request_status(c->request));
		return;
	}
}

static void on_readable(struct ev_loop *loop, ev_io *io, int revents)
{
	(void)loop, (void)revents;
	struct viewer_conn *c = container_of(io, struct viewer_conn, io);

	if (c->request == NULL)
		drain(c);
	else
		receive(c);
}

static void on_first_byte(struct first_byte_wait *wait)
{
	struct viewer_conn *c = container_of(wait, struct viewer_conn, wait);

	c->fresh = false;
	if (fd_begins_tls(c->io.fd)) {
		start_tls(c);
		return;
	}
	ev_io_start(c->loop, &c->io);
	receive(c);
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

void viewer_conn_finish(struct viewer_conn *c, const char *text, size_t len)
{
	/* the buffer of a new socket has room for the whole answer */
	(void)send(c->io.fd, text, len, MSG_NOSIGNAL);
	(void)shutdown(c->io.fd, SHUT_WR);
	http_request_free(&c->request);
	buf_reset(&c->in, 0);
	leave_first(c);
	ev_io_start(c->loop, &c->io);
	c->deadline.repeat = linger_s;
	ev_timer_again(c->loop, &c->deadline);
}

void viewer_conn_reject(struct viewer_conn *c, unsigned status)
{
	char text[HTTP_ANSWER_MAX];
	const char *method = http_request_method(c->request);
	bool head_only = method != NULL && strcmp(method, "HEAD") == 0;

	viewer_conn_finish(c, text, http_answer_error(text, status, head_only,
					    time(NULL)));
}
