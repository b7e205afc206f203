/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tls/tls_conn.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "worker/tls/context.h"
#include "worker/tls/gather.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	ROUNDS = 4, /* steps in each direction per wake-up */
	/* most encrypted bytes that wait: those of a step, and answers of
	 * OpenSSL to a client that does not read */
	SEALED_MAX = 2 * TLS_PLAIN_MAX,
	/* TCP keepalive: detects a dead host of an idle connection */
	KEEP_IDLE_S = 60,
	KEEP_INTERVAL_S = 10,
	KEEP_PROBES = 6,
};

/* The result of a step. */
enum step {
	STEP_ON,   /* the next step is possible at once */
	STEP_WAIT, /* wait for the events of the connection */
	STEP_DONE, /* the direction of the step has ended */
	STEP_FAILED,
};

/* --- pending bytes --- */

static void keep(struct tls_half *h, const uint8_t *data, size_t len)
{
	h->data = xcalloc(1, len);
	memcpy(h->data, data, len);
	h->at = 0;
	h->len = len;
}

static void drop(struct tls_half *h)
{
	/* the bytes may contain a password */
	if (h->data != NULL)
		explicit_bzero(h->data, h->len);
	free(h->data);
	h->data = NULL;
}

/* Removes the first n pending bytes, which were sent. */
static void consume(struct tls_half *h, size_t n)
{
	h->at += n;
	if (h->at == h->len)
		drop(h);
}

/* --- encrypted bytes --- */

/* Sends encrypted bytes to the client.  Returns the number that was sent, 0 if
 * the socket is full, or -errno. */
static ssize_t send_sealed(struct tls_conn *c, const uint8_t *data, size_t len)
{
	ssize_t n = send(c->outer.fd, data, len, MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	c->moved = c->moved || n > 0;
	return n;
}

/* Sends the encrypted bytes that wait for the client.  STEP_ON: none waits any
 * more; STEP_WAIT: some still wait; STEP_FAILED: the connection failed. */
static enum step send_waiting(struct tls_conn *c)
{
	struct tls_half *h = &c->sealed;
	ssize_t n;

	if (h->data == NULL)
		return STEP_ON;
	n = send_sealed(c, h->data + h->at, h->len - h->at);
	if (n < 0)
		return STEP_FAILED;
	consume(h, (size_t)n);
	if (h->data == NULL)
		return STEP_ON;
	c->outer_events |= EV_WRITE;
	return STEP_WAIT;
}

/* Sends what OpenSSL has written since the last call, behind the bytes that
 * wait.  False: the connection has failed. */
static bool send_gathered(struct tls_conn *c)
{
	struct gather *g = c->cfg->gather;
	struct tls_half *h = &c->sealed;
	ssize_t n = 0;

	if (g->len == 0)
		return true;
	if (h->data == NULL)
		n = send_sealed(c, g->data, g->len);
	if (n >= 0 && h->data == NULL && (size_t)n < g->len) {
		keep(h, g->data + n, g->len - (size_t)n);
	} else if (n >= 0 && h->data != NULL) {
		if (h->len - h->at + g->len > SEALED_MAX) {
			n = -ENOBUFS;
		} else {
			h->data = xrealloc(h->data, h->len + g->len);
			memcpy(h->data + h->len, g->data, g->len);
			h->len += g->len;
		}
	}
	g->len = 0;
	return n >= 0;
}

/* --- results of OpenSSL --- */

/* The result of a step in which a function of OpenSSL returned n, which is no
 * success. */
static enum step next_step(struct tls_conn *c, int n)
{
	switch (SSL_get_error(c->ssl, n)) {
	case SSL_ERROR_WANT_READ:
		c->outer_events |= EV_READ;
		return STEP_WAIT;
	case SSL_ERROR_WANT_WRITE:
		c->outer_events |= EV_WRITE;
		return STEP_WAIT;
	case SSL_ERROR_ZERO_RETURN:
		return STEP_DONE;
	default:
		return STEP_FAILED;
	}
}

static void enter(struct tls_conn *c, enum tls_stage stage)
{
	c->stage = stage;
	c->cfg->events->on_stage(c, c->cfg->arg);
}

/* Notes whether the kernel encrypts, at the end of the handshake.  Otherwise
 * OpenSSL writes to memory from now on.  False: there is no memory. */
static bool choose_cipher(struct tls_conn *c)
{
	BIO *out;

	if (!c->kernel || BIO_get_ktls_send(SSL_get_wbio(c->ssl)))
		return true;
	c->kernel = false;
	out = gather_bio(c->cfg->gather);
	SSL_set0_wbio(c->ssl, out);
	return out != NULL;
}

static enum step handshake(struct tls_conn *c)
{
	uint8_t byte;
	ssize_t waiting = recv(c->inner.fd, &byte, 1, MSG_PEEK);
	enum step step;
	int n;

	/* the process at the plaintext end has closed, at its time limit */
	if (waiting == 0)
		return STEP_FAILED;
	if (waiting < 0)
		c->inner_events |= EV_READ;
	step = send_waiting(c);
	if (step != STEP_ON)
		return step;
	ERR_clear_error();
	n = SSL_accept(c->ssl);
	step = n == 1 ? STEP_ON : next_step(c, n);
	/* the alert of a failed handshake leaves, too */
	if (!send_gathered(c) || step == STEP_DONE ||
	    (step == STEP_ON && !choose_cipher(c)))
		return STEP_FAILED;
	if (step == STEP_ON)
		enter(c, TLS_OPEN);
	return step;
}

/* --- from the client --- */

/* Sends data of the client to the plaintext socket.  Returns the number of
 * bytes sent or dropped; 0: the socket is full. */
static size_t pass_up(struct tls_conn *c, const uint8_t *data, size_t len)
{
	ssize_t n;

	if (c->up_closed)
		return len;
	n = send(c->inner.fd, data, len, MSG_NOSIGNAL);
	if (n >= 0)
		return (size_t)n;
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	c->up_closed = true;
	return len;
}

static enum step step_up(struct tls_conn *c)
{
	struct tls_half *h = &c->up;
	enum step step;
	size_t sent;
	int n;

	if (h->done)
		return STEP_DONE;
	if (h->data != NULL) {
		consume(h, pass_up(c, h->data + h->at, h->len - h->at));
		if (h->data == NULL)
			return STEP_ON;
		c->inner_events |= EV_WRITE;
		return STEP_WAIT;
	}
	ERR_clear_error();
	n = SSL_read(c->ssl, c->cfg->scratch, TLS_RECORD_MAX);
	step = n > 0 ? STEP_ON : next_step(c, n);
	/* SSL_read() may have made an answer to the client */
	if (!send_gathered(c))
		return STEP_FAILED;
	if (n <= 0) {
		if (step != STEP_DONE)
			return step;
		(void)shutdown(c->inner.fd, SHUT_WR);
		h->done = true;
		return STEP_DONE;
	}
	sent = pass_up(c, c->cfg->scratch, (size_t)n);
	if (sent < (size_t)n)
		keep(h, c->cfg->scratch + sent, (size_t)n - sent);
	return STEP_ON;
}

/* --- to the client --- */

/* Encrypts data as far as possible, and sends the records to the client. */
static enum step pass_down(struct tls_conn *c, const uint8_t *data,
			   size_t len, size_t *ret_taken)
{
	enum step step = STEP_ON;

	*ret_taken = 0;
	while (*ret_taken < len && step == STEP_ON) {
		int n;

		ERR_clear_error();
		n = SSL_write(c->ssl, data + *ret_taken,
			      (int)MIN(len - *ret_taken,
				       (size_t)TLS_RECORD_SIZE));
		if (n > 0)
			*ret_taken += (size_t)n;
		else
			step = next_step(c, n);
	}
	return send_gathered(c) ? step : STEP_FAILED;
}

static enum step end_down(struct tls_conn *c)
{
	c->down.eof = true;
	ERR_clear_error();
	if ((SSL_get_shutdown(c->ssl) & SSL_SENT_SHUTDOWN) == 0)
		(void)SSL_shutdown(c->ssl);
	ERR_clear_error();
	if (!send_gathered(c))
		return STEP_FAILED;
	if (c->sealed.data != NULL)
		return STEP_ON;
	(void)shutdown(c->outer.fd, SHUT_WR);
	c->down.done = true;
	enter(c, TLS_LEAVING);
	return STEP_DONE;
}

/* Does the process at the other end of the pair itself send to the client? */
static bool is_left(const struct tls_conn *c)
{
	return c->kernel && !c->spoken;
}

static enum step step_down(struct tls_conn *c)
{
	struct tls_half *h = &c->down;
	enum step step;
	size_t sent;
	ssize_t n;

	if (h->done)
		return STEP_DONE;
	step = send_waiting(c);
	if (step != STEP_ON)
		return step;
	if (h->data != NULL) {
		step = pass_down(c, h->data + h->at, h->len - h->at, &sent);
		consume(h, sent);
		return step;
	}
	if (h->eof)
		return end_down(c);
	n = recv(c->inner.fd, c->cfg->scratch, TLS_PLAIN_MAX, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		c->inner_events |= EV_READ;
		return STEP_WAIT;
	}
	/* the end, or a reset by the other side */
	if (n <= 0 && is_left(c))
		h->done = true;
	if (n <= 0)
		return is_left(c) ? STEP_DONE : end_down(c);
	c->spoken = true;
	step = pass_down(c, c->cfg->scratch, (size_t)n, &sent);
	if (sent < (size_t)n)
		keep(h, c->cfg->scratch + sent, (size_t)n - sent);
	/* the read was not full, so the rest of the plaintext has not
	 * arrived */
	if (step == STEP_ON && n < TLS_PLAIN_MAX && c->sealed.data == NULL) {
		c->inner_events |= EV_READ;
		return STEP_WAIT;
	}
	return step;
}

/* --- both directions --- */

static enum step repeat(struct tls_conn *c,
			enum step (*step)(struct tls_conn *))
{
	enum step at = STEP_ON;

	for (unsigned i = 0; i < ROUNDS && at == STEP_ON; i++)
		at = step(c);
	return at;
}

static void set_events(struct ev_loop *loop, ev_io *io, int events)
{
	if (ev_is_active(io) && (io->events & (EV_READ | EV_WRITE)) == events)
		return;
	ev_io_stop(loop, io);
	ev_io_modify(io, events);
	if (events != 0)
		ev_io_start(loop, io);
}

static void set_deadline(struct tls_conn *c)
{
	unsigned ms = 0;

	if (c->stage == TLS_HANDSHAKE)
		ms = c->cfg->handshake_ms;
	else if (c->down.done)
		ms = c->cfg->linger_ms;
	else if (c->sealed.data != NULL || c->down.data != NULL ||
		 c->down.eof)
		ms = c->cfg->stall_ms;
	if (ms == c->wait_ms && !c->moved)
		return;
	c->wait_ms = ms;
	c->moved = false;
	ev_timer_stop(c->cfg->loop, &c->deadline);
	if (ms != 0)
		timer_start(c->cfg->loop, &c->deadline, ms / 1e3);
}

/* Ends the connection by on_end, in which the owner frees c: nothing may
 * follow. */
static void end(struct tls_conn *c, const char *error)
{
	c->cfg->events->on_end(c, error, c->cfg->arg);
}

/* Runs at most ROUNDS steps from the client.  Between two records OpenSSL holds
 * no data that would not make the socket readable. */
static enum step run_up(struct tls_conn *c)
{
	enum step up;

	c->outer_events = c->inner_events = 0;
	up = repeat(c, step_up);
	if (up == STEP_ON && c->up.data == NULL)
		c->outer_events |= EV_READ;
	else if (up == STEP_ON)
		c->inner_events |= EV_WRITE;
	c->up_wants = (struct tls_wants){ c->outer_events, c->inner_events };
	return up;
}

static enum step run_down(struct tls_conn *c)
{
	enum step down;

	c->outer_events = c->inner_events = 0;
	down = repeat(c, step_down);
	if (down == STEP_ON && c->down.data == NULL && c->sealed.data == NULL &&
	    !c->down.eof)
		c->inner_events |= EV_READ;
	else if (down == STEP_ON)
		c->outer_events |= EV_WRITE;
	c->down_wants = (struct tls_wants){ c->outer_events, c->inner_events };
	return down;
}

static bool is_wanted(const struct tls_conn *c, const struct tls_wants *wants,
		      const ev_io *w, int revents)
{
	return (revents & (w == &c->outer ? wants->outer : wants->inner)) != 0;
}

/* Continues in the directions that waited for the event, for at most ROUNDS
 * steps each.  May free c. */
static void on_ready(struct ev_loop *loop, ev_io *w, int revents)
{
	struct tls_conn *c = w->data;
	enum step up = c->up.done ? STEP_DONE : STEP_WAIT;
	enum step down = c->down.done ? STEP_DONE : STEP_WAIT;
	bool both = false;

	(void)loop;
	c->used_ms = mono_ms();
	if (c->stage == TLS_HANDSHAKE) {
		c->outer_events = c->inner_events = 0;
		up = down = handshake(c);
		c->up_wants = c->down_wants = (struct tls_wants){
			c->outer_events, c->inner_events };
		both = up == STEP_ON;
	}
	if (c->stage != TLS_HANDSHAKE &&
	    (both || is_wanted(c, &c->up_wants, w, revents)))
		up = run_up(c);
	/* the answer to the client may wait for its socket */
	if (c->stage != TLS_HANDSHAKE && up != STEP_FAILED &&
	    (both || c->sealed.data != NULL ||
	     is_wanted(c, &c->down_wants, w, revents)))
		down = run_down(c);
	if (up == STEP_FAILED || down == STEP_FAILED) {
		end(c, ERR_peek_error() != 0 ? tls_error()
					     : "closed by the client");
		return;
	}
	if (down == STEP_DONE && (up == STEP_DONE || is_left(c))) {
		end(c, NULL);
		return;
	}
	set_events(c->cfg->loop, &c->outer,
		   c->up_wants.outer | c->down_wants.outer);
	set_events(c->cfg->loop, &c->inner,
		   c->up_wants.inner | c->down_wants.inner);
	set_deadline(c);
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct tls_conn *c = container_of(t, struct tls_conn, deadline);

	(void)loop, (void)revents;
	end(c, c->stage == TLS_LEAVING ? NULL : "timeout");
}

/* Connects OpenSSL with the socket of the client.  If the kernel is to encrypt,
 * OpenSSL writes to the socket itself until the end of the handshake, because
 * the kernel encrypts for a socket only. */
static bool set_sockets(struct tls_conn *c, int outer, bool kernel)
{
	BIO *out;

	c->kernel = kernel;
	if (kernel) {
		(void)SSL_set_options(c->ssl, SSL_OP_ENABLE_KTLS);
		return SSL_set_fd(c->ssl, outer) == 1;
	}
	out = gather_bio(c->cfg->gather);
	if (out == NULL || SSL_set_rfd(c->ssl, outer) != 1) {
		BIO_free(out);
		return false;
	}
	SSL_set0_wbio(c->ssl, out);
	return true;
}

struct tls_conn *tls_conn_new(const struct tls_conn_config *cfg, SSL_CTX *ctx,
			      int outer, int inner, bool kernel)
{
	static const struct {
		int level;
		int name;
		int value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S },
		{ IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL_S },
		{ IPPROTO_TCP, TCP_KEEPCNT, KEEP_PROBES },
	};
	struct tls_conn *c = xcalloc(1, sizeof *c);

	c->cfg = cfg;
	c->used_ms = mono_ms();
	c->ssl = SSL_new(ctx);
	ev_io_init(&c->outer, on_ready, outer, EV_READ);
	ev_io_init(&c->inner, on_ready, inner, EV_READ);
	c->outer.data = c->inner.data = c;
	ev_init(&c->deadline, on_deadline);
	/* a blocking socket would stop the loop */
	if (c->ssl == NULL || fd_set_nonblock(outer) < 0 ||
	    fd_set_nonblock(inner) < 0 || !set_sockets(c, outer, kernel)) {
		ERR_clear_error();
		tls_conn_free(&c);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		(void)setsockopt(outer, options[i].level, options[i].name,
				 &options[i].value, sizeof options[i].value);
	ev_io_start(cfg->loop, &c->outer);
	ev_io_start(cfg->loop, &c->inner);
	set_deadline(c);
	return c;
}

void tls_conn_free(struct tls_conn **conn)
{
	struct tls_conn *c = *conn;

	*conn = NULL;
	if (c == NULL)
		return;
	ev_io_stop(c->cfg->loop, &c->outer);
	ev_io_stop(c->cfg->loop, &c->inner);
	ev_timer_stop(c->cfg->loop, &c->deadline);
	SSL_free(c->ssl);
	fd_close(&c->outer.fd);
	fd_close(&c->inner.fd);
	drop(&c->up);
	drop(&c->down);
	drop(&c->sealed);
	free(c);
}
