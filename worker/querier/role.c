/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The role `querier`: hears who asks which multicast groups are wanted, on all
 * interfaces, and tells it once a second.
 *
 * The one role that has CAP_NET_RAW, until its two sockets are open.
 */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "worker/core/confine.h"
#include "worker/querier/querier_table.h"
#include "worker/querier/listen.h"
#include "worker/core/worker.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum {
	READS_MAX = 64, /* in one second, of each socket */
	FORGET_MS = 3600 * 1000,
};

typedef int receive_fn(int fd, struct query_seen *ret);

struct ear {
	struct role *role;
	int fd; /* -1: see why */
	struct errmsg why;
	receive_fn *receive;
	ev_io io;
	unsigned reads; /* in this second */
};

struct role {
	struct worker *worker;
	ev_timer second;
	bool ready;
	uint64_t began_ms;
	struct ear igmp, mld;
	struct heard heard;
};

/* A flood waits in the socket, and is lost there. */
static void on_query(struct ev_loop *loop, ev_io *io, int revents)
{
	struct ear *ear = container_of(io, struct ear, io);
	struct query_seen seen;
	int r;

	(void)revents;
	do {
		r = ear->receive(ear->fd, &seen);
		if (r > 0)
			heard_note(&ear->role->heard, seen.ifindex, &seen.from,
				   &seen.query, mono_ms());
		ear->reads++;
	} while (r >= 0 && ear->reads < READS_MAX);
	if (ear->reads >= READS_MAX)
		ev_io_stop(loop, io);
}

static void open_ear(struct ear *ear, struct role *r,
		     int (*listen)(struct errmsg *), receive_fn *receive)
{
	ear->role = r;
	ear->receive = receive;
	ear->fd = listen(&ear->why);
	if (ear->fd < 0)
		return;
	ev_io_init(&ear->io, on_query, ear->fd, EV_READ);
	ev_io_start(r->worker->loop, &ear->io);
}

static void close_ear(struct ear *ear)
{
	if (ear->fd < 0)
		return;
	ev_io_stop(ear->role->worker->loop, &ear->io);
	fd_close(&ear->fd);
}

static void next_second(struct ear *ear)
{
	ear->reads = 0;
	if (ear->fd >= 0)
		ev_io_start(ear->role->worker->loop, &ear->io);
}

static const char *error_of(const struct ear *ear)
{
	return ear->fd < 0 ? ear->why.text : NULL;
}

static void tell(struct role *r, uint64_t now_ms)
{
	char addresses[MSG_QUERIERS_MAX][SOCKADDR_TEXT_MAX];
	struct msg m = { .type = MSG_QUERIER_STATUS };
	struct msg_querier_status *s = &m.querier_status;

	s->igmp_error = error_of(&r->igmp);
	s->mld_error = error_of(&r->mld);
	s->listening_ms = now_ms - r->began_ms;
	for (size_t i = 0; i < ARRAY_LEN(r->heard.list); i++) {
		const struct heard_querier *q = &r->heard.list[i];

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

static void on_second(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct role *r = container_of(timer, struct role, second);
	uint64_t now_ms = mono_ms();

	(void)loop, (void)revents;
	if (!r->ready)
		worker_send_ready(r->worker);
	r->ready = true;
	next_second(&r->igmp);
	next_second(&r->mld);
	heard_forget(&r->heard, FORGET_MS, now_ms);
	tell(r, now_ms);
}

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);
	int err;

	r->worker = worker;
	r->began_ms = mono_ms();
	open_ear(&r->igmp, r, igmp_listen, igmp_receive);
	open_ear(&r->mld, r, mld_listen, mld_receive);
	err = confine_further();
	if (err < 0) {
		log_error("querier", "cannot give up its privilege: %s",
			  strerror(-err));
		worker_exit(worker, EX_OSERR);
	}
	ev_timer_init(&r->second, on_second, 0., 1.);
	ev_timer_start(worker->loop, &r->second);
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	ev_timer_stop(r->worker->loop, &r->second);
	close_ear(&r->igmp);
	close_ear(&r->mld);
	free(r);
}

static void on_message(void *role, const struct msg *m, int *fds,
		       size_t n_fds)
{
	(void)role, (void)fds, (void)n_fds;
	log_warning("querier", "%s is not for this role",
		    msg_type_name(m->type));
}

const struct worker_role querier_role = {
	.name = "querier",
	.new = role_new,
	.free = role_free,
	.on_message = on_message,
	.capabilities = UINT64_C(1) << CAP_NET_RAW,
};
