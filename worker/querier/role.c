/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The role `querier`: receives the general queries of IGMP and MLD on all
 * interfaces and reports the queriers once a second.
 *
 * No other role has CAP_NET_RAW.  The role drops it after it has opened its
 * two sockets.
 */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "worker/core/worker.h"
#include "worker/querier/listen.h"
#include "worker/querier/querier_table.h"

#include <linux/capability.h>
#include <stdlib.h>

enum {
	READS_MAX = 64, /* reads of each socket in a second */
	EXPIRES_MS = 3600 * 1000,
};

typedef int receive_fn(int fd, struct query_seen *ret);

struct query_socket {
	struct role *role;
	int fd; /* -1: see error */
	struct errmsg error;
	receive_fn *receive;
	ev_io io;
	unsigned reads; /* reads in this second */
};

struct role {
	struct worker *worker;
	uint64_t began_ms;
	struct query_socket igmp, mld;
	struct querier_table queriers;
};

/* Reads at most READS_MAX datagrams in a second.  Further ones wait in the
 * socket until the next second; the kernel drops those that exceed its
 * buffer. */
static void on_query(struct ev_loop *loop, ev_io *io, int revents)
{
	struct query_socket *s = container_of(io, struct query_socket, io);
	struct query_seen seen;
	int r;

	(void)revents;
	do {
		r = s->receive(s->fd, &seen);
		if (r > 0)
			querier_table_add(&s->role->queriers, seen.ifindex,
					  &seen.from, &seen.query, mono_ms());
		s->reads++;
	} while (r >= 0 && s->reads < READS_MAX);
	if (s->reads >= READS_MAX)
		ev_io_stop(loop, io);
}

static void open_socket(struct query_socket *s, struct role *r,
			int (*listen)(struct errmsg *), receive_fn *receive)
{
	s->role = r;
	s->receive = receive;
	s->fd = listen(&s->error);
	if (s->fd < 0)
		return;
	ev_io_init(&s->io, on_query, s->fd, EV_READ);
	ev_io_start(r->worker->loop, &s->io);
}

static void close_socket(struct query_socket *s)
{
	if (s->fd < 0)
		return;
	ev_io_stop(s->role->worker->loop, &s->io);
	fd_close(&s->fd);
}

static void resume(struct query_socket *s)
{
	s->reads = 0;
	if (s->fd >= 0)
		ev_io_start(s->role->worker->loop, &s->io);
}

static void every_second(void *role)
{
	struct role *r = role;
	uint64_t now_ms = mono_ms();
	char addresses[MSG_QUERIERS_MAX][SOCKADDR_TEXT_MAX];
	struct msg m = { .type = MSG_QUERIER_STATUS };
	struct msg_querier_status *s = &m.querier_status;

	resume(&r->igmp);
	resume(&r->mld);
	querier_table_expire(&r->queriers, EXPIRES_MS, now_ms);
	s->igmp_error = r->igmp.fd < 0 ? r->igmp.error.text : NULL;
	s->mld_error = r->mld.fd < 0 ? r->mld.error.text : NULL;
	s->listening_ms = now_ms - r->began_ms;
	for (size_t i = 0; i < ARRAY_LEN(r->queriers.list); i++) {
		const struct querier *q = &r->queriers.list[i];

		if (q->ifindex == 0)
			continue;
		sockaddr_format_host(&q->from, addresses[s->n]);
		s->list[s->n] = (struct msg_querier){
			.interface = q->ifindex,
			.mld = q->from.sa.sa_family == AF_INET6,
			.version = q->query.version,
			.address = addresses[s->n],
			.interval_s = q->query.interval_s,
			.age_ms = now_ms - q->at_ms,
		};
		s->n++;
	}
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	r->began_ms = mono_ms();
	open_socket(&r->igmp, r, igmp_listen, igmp_receive);
	open_socket(&r->mld, r, mld_listen, mld_receive);
	(void)worker_drop_capabilities(worker);
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	close_socket(&r->igmp);
	close_socket(&r->mld);
	free(r);
}

const struct worker_role querier_role = {
	.name = "querier",
	.new = role_new,
	.free = role_free,
	.every_second = every_second,
	.capabilities = UINT64_C(1) << CAP_NET_RAW,
};
