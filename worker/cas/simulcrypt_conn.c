/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/simulcrypt_conn.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/util.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { WAITING_MAX = 256 * 1024 /* bytes that may wait for the peer */ };

struct simulcrypt_conn {
	struct simulcrypt_conn_config cfg;
	ev_io readable, writable;
	struct buf out;
	const char *error; /* error that on_writable() reports; NULL: none */
	size_t n; /* bytes in `in' */
	uint8_t in[SIMULCRYPT_MAX];
};

static void stop(struct simulcrypt_conn *c)
{
	ev_io_stop(c->cfg.loop, &c->readable);
	ev_io_stop(c->cfg.loop, &c->writable);
}

/* Ends the connection through on_closed, in which the owner may free c.  The
 * caller must not use c afterwards. */
static void end(struct simulcrypt_conn *c, const char *error)
{
	stop(c);
	c->cfg.on_closed(error, c->cfg.arg);
}

/* Ends the connection later, from the loop, because the owner is inside a call
 * now. */
static void fail(struct simulcrypt_conn *c, const char *error)
{
	c->error = error;
	ev_feed_event(c->cfg.loop, &c->writable, EV_WRITE);
}

static void flush(struct simulcrypt_conn *c)
{
	while (buf_len(&c->out) > 0) {
		ssize_t n = send(c->cfg.fd, buf_head(&c->out),
				 buf_len(&c->out), MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN) {
			fail(c, strerror(errno));
			return;
		}
		if (n < 0)
			break;
		/* the bytes may have been a control word */
		explicit_bzero(buf_head(&c->out), (size_t)n);
		buf_take(&c->out, (size_t)n);
	}
	if (buf_len(&c->out) > 0)
		ev_io_start(c->cfg.loop, &c->writable);
	else
		ev_io_stop(c->cfg.loop, &c->writable);
}

static void on_writable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct simulcrypt_conn *c =
		container_of(w, struct simulcrypt_conn, writable);

	(void)loop, (void)revents;
	if (c->error == NULL)
		flush(c);
	if (c->error != NULL)
		end(c, c->error);
}

/* Passes the complete messages that were received to the owner. */
static void take(struct simulcrypt_conn *c)
{
	size_t at = 0;

	while (c->n - at >= SIMULCRYPT_HEAD) {
		size_t len = simulcrypt_len(c->in + at);
		struct simulcrypt m;

		if (c->n - at < len)
			break;
		if (simulcrypt_read(c->in + at, len, &m) < 0) {
			end(c, "malformed message");
			return;
		}
		at += len;
		if (!c->cfg.on_message(&m, c->cfg.arg))
			return;
	}
	c->n -= at;
	memmove(c->in, c->in + at, c->n);
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct simulcrypt_conn *c =
		container_of(w, struct simulcrypt_conn, readable);
	ssize_t got = recv(c->cfg.fd, c->in + c->n, sizeof c->in - c->n, 0);

	(void)loop, (void)revents;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		end(c, got == 0 ? "connection closed" : strerror(errno));
		return;
	}
	c->n += (size_t)got;
	take(c);
}

struct simulcrypt_conn *
simulcrypt_conn_new(const struct simulcrypt_conn_config *cfg)
{
	struct simulcrypt_conn *c = xcalloc(1, sizeof *c);

	c->cfg = *cfg;
	/* the buffer never grows, so no copy of a control word stays in freed
	 * memory */
	(void)buf_reserve(&c->out, WAITING_MAX);
	ev_io_init(&c->readable, on_readable, cfg->fd, EV_READ);
	ev_io_init(&c->writable, on_writable, cfg->fd, EV_WRITE);
	ev_io_start(cfg->loop, &c->readable);
	return c;
}

void simulcrypt_conn_free(struct simulcrypt_conn **pc)
{
	struct simulcrypt_conn *c = *pc;

	*pc = NULL;
	if (c == NULL)
		return;
	/* also removes an event of ev_feed_event() */
	ev_clear_pending(c->cfg.loop, &c->writable);
	stop(c);
	buf_wipe(&c->out, c->out.size);
	buf_done(&c->out);
	fd_close(&c->cfg.fd);
	explicit_bzero(c->in, c->n);
	free(c);
}

void simulcrypt_conn_send(struct simulcrypt_conn *c, const uint8_t *message,
			  size_t len)
{
	if (c->error != NULL)
		return;
	if (buf_len(&c->out) + len > WAITING_MAX) {
		fail(c, "the peer accepts no data");
		return;
	}
	buf_append(&c->out, message, len);
	flush(c);
}
