/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tls/tls_server.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/sockaddr.h"
#include "worker/tls/tls_conn.h"
#include "worker/tls/context.h"
#include "worker/tls/gather.h"
#include "worker/tls/ticket_keys.h"

#include <errno.h>
#include <ev.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

TAILQ_HEAD(conn_list, tls_conn);

/* bytes: the records of a step, with their headers and tags */
enum { GATHER_MAX = TLS_PLAIN_MAX + 1024 };

struct tls_server {
	struct tls_conn_config conns;
	unsigned connections_max;
	unsigned idle_ms;
	bool kernel;  /* the kernel can encrypt for viewers */
	SSL_CTX *ctx; /* NULL: no certificate */
	struct ticket_keys tickets;
	/* the connections of each stage, oldest first */
	struct conn_list lists[TLS_LEAVING + 1];
	struct msg_tls_status status;
	unsigned n_viewers; /* connections of viewers */
	uint8_t scratch[TLS_PLAIN_MAX];
};

/* --- connections --- */

static void remove_conn(struct tls_server *s, struct tls_conn *c)
{
	/* a connection is in the list of its stage; see on_stage() */
	TAILQ_REMOVE(&s->lists[c->stage], c, link);
	s->status.connections--;
	s->n_viewers -= c->viewer;
	tls_conn_free(&c);
}

static void on_stage(struct tls_conn *c, void *arg)
{
	struct tls_server *s = arg;

	/* a connection enters the stages in order */
	TAILQ_REMOVE(&s->lists[c->stage - 1], c, link);
	TAILQ_INSERT_TAIL(&s->lists[c->stage], c, link);
	if (c->stage == TLS_OPEN)
		s->status.handshakes++;
}

static void on_end(struct tls_conn *c, const char *error, void *arg)
{
	struct tls_server *s = arg;
	struct sockaddr_any peer = { .len = sizeof peer.in6 };
	char text[SOCKADDR_TEXT_MAX] = "a client";
	bool in_handshake = c->stage == TLS_HANDSHAKE;

	s->status.failed += in_handshake;
	if (error != NULL) {
		if (getpeername(c->outer.fd, &peer.sa, &peer.len) == 0)
			sockaddr_format_host(&peer, text);
		log_debug("tls", "%s: %s: %s", text,
			  in_handshake ? "handshake failed"
				       : "connection ended",
			  error);
	}
	remove_conn(s, c);
}

static const struct tls_conn_events conn_events = {
	.on_stage = on_stage,
	.on_end = on_end,
};

/* The viewer that has been without bytes for the longest time, at least
 * idle_ms; NULL: there is none. */
static struct tls_conn *find_idle(const struct tls_server *s)
{
	struct tls_conn *c, *oldest = NULL;

	TAILQ_FOREACH(c, &s->lists[TLS_OPEN], link)
		if (c->viewer &&
		    (oldest == NULL || c->used_ms < oldest->used_ms))
			oldest = c;
	if (oldest != NULL && mono_ms() - oldest->used_ms < s->idle_ms)
		return NULL;
	return oldest;
}

/* The number of connections that only control clients may use. */
static unsigned reserved(const struct tls_server *s)
{
	return s->connections_max / 4;
}

static struct tls_conn *find_oldest(const struct tls_server *s,
				    enum tls_stage stage, bool viewer)
{
	struct tls_conn *c;

	TAILQ_FOREACH(c, &s->lists[stage], link)
		if (c->viewer == viewer)
			break;
	return c;
}

/* The oldest connection in the stage TLS_LEAVING, or otherwise in
 * TLS_HANDSHAKE. viewer: of a viewer; false: of a control client.  NULL: there
 * is none. */
static struct tls_conn *find_unused(const struct tls_server *s, bool viewer)
{
	struct tls_conn *c = find_oldest(s, TLS_LEAVING, viewer);

	return c != NULL ? c : find_oldest(s, TLS_HANDSHAKE, viewer);
}

static unsigned control_clients(const struct tls_server *s)
{
	return s->status.connections - s->n_viewers;
}

/* Is there a place for a new connection?  Places that control clients do not
 * use stay free for them. */
static bool has_place(const struct tls_server *s, bool viewer)
{
	unsigned used = MIN(control_clients(s), reserved(s));
	unsigned kept = viewer ? reserved(s) - used : 0;

	return s->status.connections + kept < s->connections_max;
}

/* Ends the connection whose end matters least, for a new one; false: all are in
 * use.  A viewer replaces a control client only if control clients have more
 * than their reserved connections. */
static bool make_room(struct tls_server *s, bool viewer)
{
	struct tls_conn *old = find_unused(s, viewer);

	if (old == NULL &&
	    (!viewer || control_clients(s) > reserved(s)))
		old = find_unused(s, !viewer);
	if (old == NULL)
		old = find_idle(s);
	if (old != NULL)
		on_end(old, "replaced by a new connection", s);
	return old != NULL;
}

void tls_server_take(struct tls_server *s, enum tls_client client, int outer,
		     int inner)
{
	struct tls_conn *c = NULL;
	bool viewer = client == TLS_VIEWER;

	if (s->ctx != NULL && s->conns.gather != NULL &&
	    (has_place(s, viewer) || make_room(s, viewer))) {
		c = tls_conn_new(&s->conns, s->ctx, outer, inner,
				 viewer && s->kernel);
	} else {
		fd_close(&outer);
		fd_close(&inner);
	}
	if (c == NULL) {
		s->status.failed++;
		return;
	}
	c->viewer = viewer;
	TAILQ_INSERT_TAIL(&s->lists[TLS_HANDSHAKE], c, link);
	s->status.connections++;
	s->n_viewers += viewer;
}

/* --- certificate --- */

int tls_server_certificate(struct tls_server *s, bool use, int chain_fd,
			   int key_fd, struct credentials_error *ret)
{
	SSL_CTX *ctx = tls_context_new(&s->tickets);
	int err;

	if (ctx == NULL) {
		ret->field = "crt_chain";
		return errmsg_fail(&ret->error, -EINVAL, "OpenSSL: %s",
				   tls_error());
	}
	err = credentials_load(ctx, chain_fd, key_fd, ret);
	if (err < 0 || !use) {
		SSL_CTX_free(ctx);
		return err;
	}
	/* with another certificate: an attacker may know the old key */
	if (s->ctx == NULL || X509_cmp(SSL_CTX_get0_certificate(s->ctx),
				       SSL_CTX_get0_certificate(ctx)) != 0)
		ticket_keys_forget(&s->tickets);
	SSL_CTX_free(s->ctx);
	s->ctx = ctx;
	return 0;
}

const SSL_CTX *tls_server_context(const struct tls_server *s)
{
	return s->ctx;
}

/* --- server --- */

struct tls_server *tls_server_new(const struct tls_server_config *cfg)
{
	struct tls_server *s = xcalloc(1, sizeof *s);

	s->connections_max = cfg->connections_max;
	s->kernel = cfg->kernel;
	s->idle_ms = cfg->idle_ms ? cfg->idle_ms : TLS_IDLE_MS;
	s->conns = (struct tls_conn_config){
		.loop = cfg->loop,
		.events = &conn_events,
		.arg = s,
		.scratch = s->scratch,
		.gather = gather_new(GATHER_MAX),
		.handshake_ms = cfg->handshake_ms ? cfg->handshake_ms
						  : TLS_HANDSHAKE_MS,
		.stall_ms = cfg->stall_ms ? cfg->stall_ms : TLS_STALL_MS,
		.linger_ms = cfg->linger_ms ? cfg->linger_ms : TLS_LINGER_MS,
	};
	for (size_t i = 0; i < ARRAY_LEN(s->lists); i++)
		TAILQ_INIT(&s->lists[i]);
	return s;
}

void tls_server_free(struct tls_server **server)
{
	struct tls_server *s = *server;
	struct tls_conn *c;

	*server = NULL;
	if (s == NULL)
		return;
	for (size_t i = 0; i < ARRAY_LEN(s->lists); i++)
		while ((c = TAILQ_FIRST(&s->lists[i])) != NULL)
			remove_conn(s, c);
	SSL_CTX_free(s->ctx);
	gather_free(&s->conns.gather);
	ticket_keys_forget(&s->tickets);
	explicit_bzero(s->scratch, sizeof s->scratch);
	free(s);
}

struct msg_tls_status tls_server_status(const struct tls_server *s)
{
	return s->status;
}
