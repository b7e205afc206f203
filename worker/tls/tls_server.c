/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tls/tls_server.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/sockaddr.h"
#include "worker/tls/tls_conn.h"
#include "worker/tls/context.h"
#include "worker/tls/ticket_keys.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

TAILQ_HEAD(conn_list, tls_conn);

struct tls_server {
	struct tls_conn_config conns;
	unsigned connections_max;
	SSL_CTX *ctx; /* NULL: no certificate */
	struct ticket_keys tickets;
	struct conn_list lists[TLS_LEAVING + 1]; /* by stage, oldest first */
	struct msg_tls_status status;
	uint8_t scratch[TLS_RECORD_MAX];
};

/* --- connections --- */

static void forget(struct tls_server *s, struct tls_conn *c)
{
	/* a conn stands in the list of its stage; see on_stage() */
	TAILQ_REMOVE(&s->lists[c->stage], c, link);
	s->status.connections--;
	tls_conn_free(&c);
}

static void on_stage(struct tls_conn *c, void *arg)
{
	struct tls_server *s = arg;

	/* stages follow each other */
	TAILQ_REMOVE(&s->lists[c->stage - 1], c, link);
	TAILQ_INSERT_TAIL(&s->lists[c->stage], c, link);
	if (c->stage == TLS_OPEN)
		s->status.handshakes++;
}

static void log_failure(const struct tls_conn *c, const char *why)
{
	struct sockaddr_any peer = { .len = sizeof peer.in6 };
	char text[SOCKADDR_TEXT_MAX] = "a client";

	if (getpeername(c->outer.fd, &peer.sa, &peer.len) == 0)
		sockaddr_format_host(&peer, text);
	log_debug("tls", "%s: %s: %s", text,
		  c->stage == TLS_SHAKING ? "no handshake" : "broken off",
		  why);
}

static void on_end(struct tls_conn *c, const char *why, void *arg)
{
	struct tls_server *s = arg;

	if (c->stage == TLS_SHAKING)
		s->status.failed++;
	if (why != NULL)
		log_failure(c, why);
	forget(s, c);
}

static const struct tls_conn_events conn_events = {
	.on_stage = on_stage,
	.on_end = on_end,
};

static bool make_room(struct tls_server *s)
{
	struct tls_conn *c = TAILQ_FIRST(&s->lists[TLS_LEAVING]);

	if (c == NULL)
		c = TAILQ_FIRST(&s->lists[TLS_SHAKING]);
	if (c == NULL)
		return false;
	on_end(c, "others need its place", s);
	return true;
}

static unsigned places(const struct tls_server *s, enum tls_client client)
{
	return client == TLS_VIEWER
		       ? s->connections_max - s->connections_max / 4
		       : s->connections_max;
}

void tls_server_take(struct tls_server *s, enum tls_client client, int outer,
		     int inner)
{
	struct tls_conn *c = NULL;

	if (s->ctx != NULL && (s->status.connections < places(s, client) ||
			       make_room(s))) {
		c = tls_conn_new(&s->conns, s->ctx, outer, inner);
	} else {
		fd_close(&outer);
		fd_close(&inner);
	}
	if (c == NULL) {
		s->status.failed++;
		return;
	}
	TAILQ_INSERT_TAIL(&s->lists[TLS_SHAKING], c, link);
	s->status.connections++;
}

/* --- the certificate --- */

static bool is_same(const SSL_CTX *a, const SSL_CTX *b)
{
	return a != NULL && X509_cmp(SSL_CTX_get0_certificate(a),
				     SSL_CTX_get0_certificate(b)) == 0;
}

static void use(struct tls_server *s, SSL_CTX *ctx)
{
	/* whoever has the old key may have been the reason for a new one */
	if (!is_same(s->ctx, ctx))
		ticket_keys_forget(&s->tickets);
	SSL_CTX_free(s->ctx);
	s->ctx = ctx;
}

int tls_server_certificate(struct tls_server *s, bool wanted, int chain_fd,
			   int key_fd, struct credentials_error *ret)
{
	SSL_CTX *ctx = tls_context_new(&s->tickets);
	int err;

	if (ctx == NULL) {
		ret->field = "crt_chain";
		return errmsg_fail(&ret->error, -EINVAL, "OpenSSL: %s",
				   tls_reason());
	}
	err = credentials_load(ctx, chain_fd, key_fd, ret);
	if (err == 0 && wanted)
		use(s, ctx);
	else
		SSL_CTX_free(ctx);
	return err;
}

const SSL_CTX *tls_server_context(const struct tls_server *s)
{
	return s->ctx;
}

/* --- the whole --- */

struct tls_server *tls_server_new(const struct tls_server_config *cfg)
{
	struct tls_server *s = xcalloc(1, sizeof *s);

	s->connections_max = cfg->connections_max;
	s->conns = (struct tls_conn_config){
		.loop = cfg->loop,
		.events = &conn_events,
		.arg = s,
		.scratch = s->scratch,
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
			forget(s, c);
	SSL_CTX_free(s->ctx);
	ticket_keys_forget(&s->tickets);
	explicit_bzero(s->scratch, sizeof s->scratch);
	free(s);
}

struct msg_tls_status tls_server_status(const struct tls_server *s)
{
	return s->status;
}
