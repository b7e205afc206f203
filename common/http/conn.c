/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/http/conn.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/http/response.h"
#include "common/loop/timer.h"

#include <assert.h>
#include <errno.h>
#include <ev.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum {
	READ_MAX = 16384, /* bytes read ahead, and per wake-up */
	KEEP = 4096, /* bytes of memory kept between two requests */
	SHARE = 65536, /* bytes that each connection may hold in any case */
	REFUSED_MAX = 64, /* connections that wait for their 503 */
	DRAIN_TIMEOUT_MS = 2000,
	DRAIN_MAX = 8 * 1024 * 1024,
};

enum conn_state {
	CONN_READING, /* reads a request */
	CONN_HANDLING, /* the handler prepares the answer */
	CONN_WRITING, /* writes the answer */
	CONN_DRAINING, /* answer sent; the peer reads it before the close */
};

/* The time limit that the timer measures. */
enum conn_wait { WAIT_NONE, WAIT_IDLE, WAIT_HEAD, WAIT_BODY, WAIT_OTHER };

struct http_conn {
	struct http_pool *pool;
	TAILQ_ENTRY(http_conn) link;
	struct peer *from; /* connections of its address; NULL: not limited */
	int fd;
	struct first_byte_wait first;
	enum conn_state state;
	enum conn_wait wait;
	ev_io readable, writable;
	struct turn_work lasting; /* waits to send a lasting body */
	ev_timer timer;
	struct http_request *request;
	struct buf in;
	struct http_unsent out;
	size_t held_in, held_out; /* bytes, part of those of the pool */
	size_t drained; /* bytes discarded in CONN_DRAINING */
	uint64_t answer_end_ms; /* deadline of the answer, mono_ms() */
	bool judged;    /* on_head was called for this request */
	bool continued; /* 100 Continue was written */
	bool used;      /* a request was answered before */
	bool closing;   /* the present answer is the last one */
	bool refused;   /* its address has too many connections */
	bool eof;       /* the peer sends nothing more */
	bool fresh;     /* waits for the first byte: of TLS or of HTTP */
	bool secure;    /* fd is the plaintext side of a TLS connection */
	struct ip_address local; /* address of this machine; zero: unknown */
	char peer[SOCKADDR_TEXT_MAX];
};

/* Removes the connection from the loop and the pool; keeps its memory. */
static void conn_detach(struct http_conn *c)
{
	if (c->fresh)
		first_byte_remove(c->pool->first, &c->first);
	ev_io_stop(c->pool->cfg.loop, &c->readable);
	ev_io_stop(c->pool->cfg.loop, &c->writable);
	ev_timer_stop(c->pool->cfg.loop, &c->timer);
	turn_queue_remove(&c->pool->lasting, &c->lasting);
	TAILQ_REMOVE(&c->pool->conns, c, link);
	c->pool->n--;
	c->pool->held_in -= c->held_in;
	(void)peer_hold(c->from, -(ssize_t)c->held_in);
	c->pool->held_out -= c->held_out;
	c->pool->n_refused -= c->refused;
}

static void conn_free(struct http_conn *c)
{
	fd_close(&c->fd);
	peer_leave(&c->from);
	http_request_free(&c->request);
	/* the buffers contained passwords and session ids */
	buf_wipe(&c->in, READ_MAX);
	buf_wipe(&c->out.buf, READ_MAX);
	buf_done(&c->in);
	buf_done(&c->out.buf);
	free(c);
}

static void conn_close(struct http_conn *c)
{
	const struct http_server_config *cfg = &c->pool->cfg;

	conn_detach(c);
	/* on_gone may free the pool, which no longer contains c */
	if (c->state == CONN_HANDLING)
		cfg->on_gone(c, cfg->arg);
	conn_free(c);
}

static void start_timer(struct http_conn *c, enum conn_wait wait, unsigned ms)
{
	ev_timer_stop(c->pool->cfg.loop, &c->timer);
	c->wait = wait;
	if (wait != WAIT_NONE)
		timer_start(c->pool->cfg.loop, &c->timer, ms / 1e3);
}

/* Starts the time limit of this wait, unless it runs already. */
static void expect(struct http_conn *c, enum conn_wait wait)
{
	const struct http_server_config *cfg = &c->pool->cfg;

	if (c->wait != wait)
		start_timer(c, wait,
			    wait == WAIT_IDLE ? cfg->idle_timeout_ms
			    : wait == WAIT_HEAD ? cfg->head_timeout_ms
						: cfg->body_timeout_ms);
}

/* Updates the counts; returns the received bytes of its address, if limited. */
static size_t account(struct http_conn *c)
{
	struct http_pool *p = c->pool;
	size_t in, before = c->held_in, out = buf_len(&c->out.buf);

	(void)http_request_body(c->request, &in);
	in += buf_len(&c->in);
	p->held_in += in - before;
	p->held_out += out - c->held_out;
	c->held_in = in;
	c->held_out = out;
	return peer_hold(c->from, (ssize_t)in - (ssize_t)before);
}

/* Starts the timer with the earlier of two limits: for the next bytes and for
 * the whole answer. */
static void expect_reader(struct http_conn *c)
{
	const struct http_server_config *cfg = &c->pool->cfg;
	int64_t left_ms = (int64_t)(c->answer_end_ms - mono_ms());

	start_timer(c, WAIT_OTHER,
		    (unsigned)MAX(1, MIN(left_ms, cfg->answer_timeout_ms)));
}

static void answer(struct http_conn *c, const struct http_answer *a)
{
	const struct http_server_config *cfg = &c->pool->cfg;
	const char *method = http_request_method(c->request);

	http_unsent_write(&c->out, a, strcmp(method, "HEAD") == 0,
			  c->closing ? HTTP_CLOSE : HTTP_KEEP_ALIVE,
			  (time_t)ev_now(cfg->loop));
	c->state = CONN_WRITING;
	c->answer_end_ms = mono_ms() + cfg->answer_timeout_ms +
			   http_unsent_len(&c->out) * 1000 /
				   cfg->answer_rate_min;
	expect_reader(c);
	/* written later, because the handler may still be running */
	if (a->lasting)
		turn_queue_add(&c->pool->lasting, &c->lasting);
	else
		ev_feed_event(cfg->loop, &c->writable, EV_WRITE);
}

/* Answers with an error as JSON, in which error needs no escapes. */
static void answer_error(struct http_conn *c, int status, const char *error)
{
	char body[160];
	const struct http_answer a = {
		.status = status, .content_type = "application/json",
		.body = body,
		.len = (size_t)snprintf(body, sizeof body,
					"{\"error\":\"%.120s\"}", error),
	};

	answer(c, &a);
}

/* Answers without the handler and closes the connection. */
static void reject(struct http_conn *c, int status, const char *error)
{
	c->closing = true;
	answer_error(c, status, error);
}

/* Answers the header Expect (RFC 9110 10.1.1); false: with a rejection. */
static bool meet_expectation(struct http_conn *c)
{
	const char *value = http_request_header(c->request, "expect");

	if (value == NULL || c->continued ||
	    http_request_minor(c->request) == 0)
		return true;
	if (strcasecmp(value, "100-continue") != 0) {
		reject(c, 417, "Expect: only 100-continue is supported");
		return false;
	}
	if (http_request_has_body(c->request) && buf_len(&c->in) == 0) {
		c->continued = true;
		buf_printf(&c->out.buf, "HTTP/1.1 100 Continue\r\n\r\n");
		ev_feed_event(c->pool->cfg.loop, &c->writable, EV_WRITE);
	}
	return true;
}

/* Passes a complete request to the handler; nothing may follow this call. */
static void handle(struct http_conn *c)
{
	static const struct http_answer options = {
		.status = 204, .headers = "Allow: GET, HEAD, POST, OPTIONS\r\n"
	};
	const struct http_server_config *cfg = &c->pool->cfg;

	start_timer(c, WAIT_NONE, 0);
	c->closing = !http_request_keep_alive(c->request);
	if (strcmp(http_request_path(c->request), "*") == 0) {
		answer(c, &options);
		return;
	}
	c->state = CONN_HANDLING;
	cfg->on_request(c, c->request, cfg->arg);
}

static void want_more(struct http_conn *c)
{
	if (c->eof) {
		conn_close(c);
		return;
	}
	expect(c, c->used && !http_request_begun(c->request) ? WAIT_IDLE
		  : http_request_has_body(c->request) ? WAIT_BODY : WAIT_HEAD);
	if (!c->fresh)
		ev_io_start(c->pool->cfg.loop, &c->readable);
}

/* Lets the handler judge the head before a long body is received.  False: not
 * necessary; after true nothing may follow. */
static bool judge(struct http_conn *c)
{
	const struct http_server_config *cfg = &c->pool->cfg;
	size_t len;

	(void)http_request_body(c->request, &len);
	if (c->judged || cfg->on_head == NULL ||
	    MAX(len, http_request_length(c->request)) <= HTTP_UNJUDGED_MAX)
		return false;
	start_timer(c, WAIT_NONE, 0);
	c->judged = true;
	c->closing = true; /* after an answer, if the body is not read */
	c->state = CONN_HANDLING;
	cfg->on_head(c, c->request, cfg->arg);
	return true;
}

/* Processes the bytes received so far; nothing may follow this call. */
static void advance(struct http_conn *c)
{
	enum http_state state = http_request_feed(c->request, &c->in);
	size_t held;

	if (state == HTTP_HAVE_HEAD) {
		if (judge(c) || !meet_expectation(c))
			return;
		state = http_request_feed(c->request, &c->in);
	}
	held = account(c);
	if (state != HTTP_FAILED && judge(c))
		return;
	/* large bodies share a limit; a small request is always accepted */
	if (c->held_in > SHARE && (c->pool->held_in > HTTP_HELD_MAX ||
				   held > HTTP_PEER_HELD_MAX))
		reject(c, 503,
		       "too many request bytes in progress: retry later");
	else if (state == HTTP_MORE)
		want_more(c);
	else if (state == HTTP_COMPLETE)
		handle(c);
	else {
		log_debug("http", "%s: request rejected: %d %s", c->peer,
			  http_request_status(c->request),
			  http_request_reason(c->request));
		reject(c, http_request_status(c->request),
		       http_request_reason(c->request));
	}
}

void http_continue(struct http_conn *c)
{
	assert(c->state == CONN_HANDLING && c->judged);
	c->closing = false;
	c->state = CONN_READING;
	/* later, because the handler may still be running */
	if (meet_expectation(c))
		ev_feed_event(c->pool->cfg.loop, &c->writable, EV_WRITE);
}

/* Called when the answer is written; nothing may follow this call. */
static void answered(struct http_conn *c)
{
	if (c->closing && (c->eof || shutdown(c->fd, SHUT_WR) < 0)) {
		conn_close(c);
		return;
	}
	if (c->closing) {
		c->state = CONN_DRAINING;
		c->drained = buf_len(&c->in);
		buf_reset(&c->in, 0);
		http_request_reset(c->request);
		(void)account(c);
		start_timer(c, WAIT_OTHER, DRAIN_TIMEOUT_MS);
		ev_io_start(c->pool->cfg.loop, &c->readable);
		return;
	}
	http_request_reset(c->request);
	buf_reset(&c->out.buf, KEEP);
	c->state = CONN_READING;
	c->wait = WAIT_NONE;
	c->used = true;
	c->judged = c->continued = false;
	/* at the limit of connections, this one is closed last */
	TAILQ_REMOVE(&c->pool->conns, c, link);
	TAILQ_INSERT_TAIL(&c->pool->conns, c, link);
	advance(c);
}

static void conn_write(struct http_conn *c)
{
	ssize_t n = http_unsent_send(&c->out, c->fd);

	if (n < 0 && n != -EAGAIN && n != -EINTR) {
		conn_close(c);
		return;
	}
	if (n > 0) {
		(void)account(c);
		if (c->state == CONN_WRITING)
			expect_reader(c);
	}
	if (http_unsent_len(&c->out) > 0) {
		ev_io_start(c->pool->cfg.loop, &c->writable);
		return;
	}
	ev_io_stop(c->pool->cfg.loop, &c->writable);
	if (c->state == CONN_READING && c->judged)
		advance(c);
	else if (c->state == CONN_WRITING)
		answered(c); /* else "100 Continue" was written */
}

static void conn_drain(struct http_conn *c)
{
	ssize_t n = fd_discard(c->fd, READ_MAX * 4);

	if (n == -EAGAIN || n == -EINTR)
		return;
	c->drained += n > 0 ? (size_t)n : 0;
	if (n <= 0 || c->drained > DRAIN_MAX)
		conn_close(c);
}

/* Passes the socket to the tls worker and continues with the plaintext, or
 * closes the connection.  False: no TLS, read the socket itself. */
static bool start_tls(struct http_conn *c)
{
	struct http_pool *p = c->pool;
	int fd = p->serve_tls(c->fd, p->serve_arg);

	if (fd == -ENOTSUP)
		return false;
	if (fd < 0) {
		conn_close(c);
		return true;
	}
	c->fd = fd;
	c->secure = true;
	ev_io_set(&c->readable, fd, EV_READ);
	ev_io_set(&c->writable, fd, EV_WRITE);
	ev_io_start(p->cfg.loop, &c->readable);
	return true;
}

static void conn_read(struct http_conn *c)
{
	size_t room = READ_MAX - buf_len(&c->in);
	ssize_t n = recv(c->fd, buf_reserve(&c->in, room), room, 0);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			conn_close(c);
		return;
	}
	buf_added(&c->in, (size_t)n);
	c->eof = n == 0;
	if (c->eof || buf_len(&c->in) == READ_MAX)
		ev_io_stop(c->pool->cfg.loop, &c->readable);
	if (c->state == CONN_READING)
		advance(c);
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct http_conn *c = container_of(w, struct http_conn, readable);

	(void)loop, (void)revents;
	if (c->state == CONN_DRAINING)
		conn_drain(c);
	else
		conn_read(c);
}

static void on_first_byte(struct first_byte_wait *wait)
{
	struct http_conn *c = container_of(wait, struct http_conn, first);

	c->fresh = false;
	if (fd_begins_tls(c->fd) && start_tls(c))
		return;
	ev_io_start(c->pool->cfg.loop, &c->readable);
	conn_read(c);
}

static void on_writable(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop, (void)revents;
	conn_write(container_of(w, struct http_conn, writable));
}

static void on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct http_conn *c = container_of(w, struct http_conn, timer);

	(void)loop, (void)revents;
	if (c->state == CONN_READING && http_request_begun(c->request))
		reject(c, 408, "request timeout: the request is incomplete");
	else
		conn_close(c);
}

/* Closes the first connection that is idle after an answer, or refused; else
 * the first that does not wait for the handler.  False: all wait for it. */
static bool make_room(struct http_pool *p)
{
	struct http_conn *c;

	TAILQ_FOREACH(c, &p->conns, link)
		if (c->wait == WAIT_IDLE || c->refused)
			break;
	if (c == NULL)
		TAILQ_FOREACH(c, &p->conns, link)
			if (c->state != CONN_HANDLING)
				break;
	if (c != NULL)
		conn_close(c);
	return c != NULL;
}

static struct http_conn *conn_new(struct http_pool *p, int fd,
				  const struct sockaddr_any *peer)
{
	struct http_conn *c = xcalloc(1, sizeof *c);
	struct sockaddr_any own = { .len = sizeof own.in6 };

	c->pool = p;
	c->fd = c->first.fd = fd;
	c->first.on_byte = on_first_byte;
	if (getsockname(fd, &own.sa, &own.len) == 0)
		c->local = ip_of(&own);
	c->request = http_request_new(HTTP_BODY_MAX);
	sockaddr_format_host(peer, c->peer);
	(void)fd_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	ev_io_init(&c->readable, on_readable, fd, EV_READ);
	ev_io_init(&c->writable, on_writable, fd, EV_WRITE);
	c->lasting.watcher = &c->writable;
	ev_init(&c->timer, on_timer);
	return c;
}

/* Answers 503, or only closes fd at the limit of connections or of 503s. */
static void reject_address(struct http_pool *p, int fd,
			   const struct sockaddr_any *peer)
{
	char host[SOCKADDR_TEXT_MAX];
	struct http_conn *c;
	unsigned suppressed;

	if (ratelimit_pass(&p->refused_log, mono_ms(), &suppressed)) {
		sockaddr_format_host(peer, host);
		log_warning("http", "%s: connection rejected: too many "
			    "connections from this address (%u more since the "
			    "last line)", host, suppressed);
	}
	if (p->n >= p->cfg.connections_max || p->n_refused >= REFUSED_MAX) {
		fd_close(&fd);
		return;
	}
	c = conn_new(p, fd, peer);
	c->refused = true;
	p->n_refused++;
	p->n++;
	/* at the limit of connections, this one is closed first */
	TAILQ_INSERT_HEAD(&p->conns, c, link);
	reject(c, 503, "too many connections from this address");
}

bool http_pool_add(struct http_pool *p, int fd,
		   const struct sockaddr_any *peer)
{
	struct ip_address address = ip_of(peer);
	struct peer *from = NULL;
	struct http_conn *c;

	if (p->cfg.peers != NULL &&
	    peers_enter(p->cfg.peers, &address, &from) < 0) {
		reject_address(p, fd, peer);
		return false;
	}
	if (p->n >= p->cfg.connections_max && !make_room(p)) {
		peer_leave(&from);
		fd_close(&fd);
		return false;
	}
	c = conn_new(p, fd, peer);
	c->from = from;
	c->fresh = p->first != NULL && first_byte_add(p->first, &c->first) == 0;
	p->n++;
	TAILQ_INSERT_TAIL(&p->conns, c, link);
	want_more(c);
	return true;
}

void http_pool_done(struct http_pool *p)
{
	while (!TAILQ_EMPTY(&p->conns))
		conn_close(TAILQ_FIRST(&p->conns));
}

void http_respond(struct http_conn *c, const struct http_answer *a)
{
	assert(c->state == CONN_HANDLING);
	if (!a->lasting && a->len > SHARE &&
	    c->pool->held_out + a->len > HTTP_HELD_MAX)
		answer_error(c, 503, "too many answer bytes in progress: "
			     "retry later");
	else
		answer(c, a);
	(void)account(c);
}

void http_drop(struct http_conn *c)
{
	assert(c->state == CONN_HANDLING);
	conn_detach(c);
	conn_free(c);
}

const char *http_conn_peer(const struct http_conn *c)
{
	return c->peer;
}

const struct ip_address *http_conn_local(const struct http_conn *c)
{
	return &c->local;
}

bool http_conn_is_secure(const struct http_conn *c)
{
	return c->secure;
}

int http_conn_take_socket(struct http_conn *c, struct buf *rest,
			  struct peer **ret_from)
{
	int fd = c->fd;

	assert(c->state == CONN_HANDLING);
	buf_append(rest, buf_head(&c->in), buf_len(&c->in));
	conn_detach(c);
	c->fd = -1;
	*ret_from = c->from;
	c->from = NULL;
	conn_free(c);
	return fd;
}
