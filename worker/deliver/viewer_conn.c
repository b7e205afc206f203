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
	HEARD_MAX = 64 * 1024, /* after the answer */
};

static const ev_tstamp linger_s = 2.0;

static void end(struct conn *c)
{
	c->events->on_end(c, c->arg);
}

/* After the answer: wait for the peer to hang up. */
static void drain(struct conn *c)
{
	uint8_t scratch[READ_SIZE];
	ssize_t n = recv(c->io.fd, scratch, sizeof scratch, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->heard += n > 0 ? (size_t)n : 0;
	if (n <= 0 || c->heard > HEARD_MAX)
		end(c);
}

static void move_on(struct conn *c)
{
	switch (http_request_feed(c->request, &c->in)) {
	case HTTP_MORE:
		return;
	case HTTP_HAVE_HEAD:
	case HTTP_COMPLETE:
		/* a body, if any, is of no interest */
		c->events->on_request(c, c->request, c->arg);
		return;
	case HTTP_FAILED:
		conn_refuse(c, (unsigned)http_request_status(c->request));
		return;
	}
}

/* The connection goes on as the plaintext of what it was. */
static void divert(struct conn *c)
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

static void hear(struct conn *c)
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
	move_on(c);
}

static void on_readable(struct ev_loop *loop, ev_io *io, int revents)
{
	(void)loop, (void)revents;
	struct conn *c = container_of(io, struct conn, io);

	if (c->request == NULL)
		drain(c);
	else
		hear(c);
}

static void on_first_byte(struct first_byte_wait *wait)
{
	struct conn *c = container_of(wait, struct conn, wait);

	c->fresh = false;
	if (fd_begins_tls(c->io.fd)) {
		divert(c);
		return;
	}
	ev_io_start(c->loop, &c->io);
	hear(c);
}

static void leave_first(struct conn *c)
{
	if (c->fresh)
		first_byte_remove(c->first, &c->wait);
	c->fresh = false;
}

static void on_deadline(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)loop, (void)revents;
	struct conn *c = container_of(timer, struct conn, deadline);

	if (c->request != NULL)
		conn_refuse(c, 408);
	else
		end(c);
}

struct conn *conn_new(const struct conn_config *cfg)
{
	struct conn *c = xcalloc(1, sizeof *c);

	c->loop = cfg->loop;
	c->address = xstrdup(cfg->address);
	c->events = cfg->events;
	c->arg = cfg->arg;
	c->first = cfg->first;
	c->wait = (struct first_byte_wait){ cfg->fd, on_first_byte };
	c->fresh = c->first != NULL && first_byte_add(c->first, &c->wait) == 0;
	/* bodies are not read, so none is too large to be answered */
	c->request = http_request_new(SIZE_MAX);
	ev_io_init(&c->io, on_readable, cfg->fd, EV_READ);
	if (!c->fresh)
		ev_io_start(c->loop, &c->io);
	ev_timer_init(&c->deadline, on_deadline, 0.,
		      cfg->head_ms / 1000.);
	ev_timer_again(c->loop, &c->deadline);
	return c;
}

int conn_take_fd(struct conn *c)
{
	int fd = c->io.fd;

	leave_first(c);
	ev_io_stop(c->loop, &c->io);
	c->io.fd = -1;
	return fd;
}

void conn_free(struct conn **conn)
{
	struct conn *c = *conn;
	int fd;

	if (c == NULL)
		return;
	ev_timer_stop(c->loop, &c->deadline);
	fd = conn_take_fd(c);
	fd_close(&fd);
	http_request_free(&c->request);
	buf_done(&c->in);
	free(c->address);
	free(c);
	*conn = NULL;
}

void conn_finish(struct conn *c, const char *text, size_t len)
{
	/* the socket is fresh: what does not fit goes to a peer that is gone */
	(void)send(c->io.fd, text, len, MSG_NOSIGNAL);
	(void)shutdown(c->io.fd, SHUT_WR);
	http_request_free(&c->request);
	buf_reset(&c->in, 0);
	leave_first(c);
	ev_io_start(c->loop, &c->io);
	c->deadline.repeat = linger_s;
	ev_timer_again(c->loop, &c->deadline);
}

void conn_refuse(struct conn *c, unsigned status)
{
	char text[ANSWER_MAX];
	const char *method = http_request_method(c->request);
	bool head_only = method != NULL && strcmp(method, "HEAD") == 0;

	conn_finish(c, text, answer_refusal(text, status, head_only,
					    time(NULL)));
}
