/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `deliver`: carries out the messages of the master and reports the
 * number of viewers. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "worker/core/worker.h"
#include "worker/deliver/deliver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* The most mounts whose changed counts are reported at once, so that
	 * the messages of a second stay below CHANNEL_FLOOD. */
	CHANGES_MAX = 500,
	/* Messages of the channel that the worker handles in one wake-up: a
	 * command of the master is at most a few messages for each path. */
	MESSAGES_FIRST = 64,
};

struct role {
	struct worker *worker;
	struct deliver *deliver;
	size_t cursor; /* the mount to report next */
};

static void on_demand(const struct msg_deliver_viewers *report, void *arg)
{
	struct role *r = arg;
	const struct msg m = { .type = MSG_DELIVER_VIEWERS,
			       .deliver_viewers = *report };

	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static int send_message(const struct msg *m, void *arg)
{
	const struct role *r = arg;

	return channel_send(r->worker->channel, m, NULL, 0);
}

/* The number of the worker, from 0, by the name of its object: "1" to
 * MSG_DELIVER_MAX. */
static unsigned number_of(const char *object)
{
	unsigned long n = strtoul(object, NULL, 10);

	return n >= 1 && n <= MSG_DELIVER_MAX ? (unsigned)n - 1 : 0;
}

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	r->deliver = deliver_new(&(struct deliver_config){
		.loop = worker->loop,
		.on_demand = on_demand,
		.send = send_message,
		.arg = r,
		.number = number_of(worker->object),
	});
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	deliver_free(&r->deliver);
	free(r);
}

static void report_mounts(struct role *r)
{
	for (unsigned i = 0; i < CHANGES_MAX; i++) {
		struct msg m = { .type = MSG_DELIVER_VIEWERS };

		if (!deliver_next_change(r->deliver, &r->cursor,
					 &m.deliver_viewers)) {
			r->cursor = 0;
			return;
		}
		(void)channel_send(r->worker->channel, &m, NULL, 0);
	}
}

static void every_second(void *role)
{
	struct role *r = role;
	struct msg m = { .type = MSG_DELIVER_STATUS };

	deliver_every_second(r->deliver);
	m.deliver_status = deliver_status(r->deliver);
	(void)channel_send(r->worker->channel, &m, NULL, 0);
	report_mounts(r);
}

/* The first descriptor of a message, which the caller owns then; -1: the
 * message has none. */
static int take_fd(int *fds, size_t n_fds)
{
	int fd = n_fds > 0 ? fds[0] : -1;

	if (n_fds > 0)
		fds[0] = -1;
	return fd;
}

static void on_listen(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;
	const struct msg_deliver_listen *name = &m->deliver_listen;
	int fd = take_fd(fds, n_fds);

	if (fd < 0)
		log_error("deliver", "%s: viewers cannot connect: the master "
			  "sent no socket",
			  name->address);
	else
		deliver_listen(r->deliver, name, fd);
}

static void on_unlisten(void *role, const struct msg *m, int *fds,
			size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	deliver_unlisten(r->deliver, &m->deliver_unlisten);
}

static void on_mount(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;
	const struct msg_deliver_mount *name = &m->deliver_mount;
	int err = n_fds > 0 ? deliver_mount(r->deliver, name, fds[0]) : -EBADF;

	if (err < 0)
		log_error("deliver", "%s%s: cannot use the ring buffer of "
			  "stream %s: %s", name->address, name->path,
			  name->stream,
			  strerror(-err));
	else
		fds[0] = -1;
}

static void on_unmount(void *role, const struct msg *m, int *fds,
		       size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	deliver_unmount(r->deliver, &m->deliver_unmount);
}

static void on_viewer(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;
	int fd = take_fd(fds, n_fds);

	if (fd >= 0)
		deliver_take(r->deliver, &m->deliver_viewer, fd);
}

static void on_move(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	deliver_move(r->deliver, &m->deliver_move);
}

static void on_renew(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)m, (void)fds, (void)n_fds;
	deliver_renew(r->deliver);
}

static void on_settle(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	deliver_settle(r->deliver, &m->deliver_settle);
	/* report all mounts: a new master does not know their viewers */
	r->cursor = 0;
	report_mounts(r);
}

static void on_list(void *role, const struct msg *request, int *fds,
		    size_t n_fds)
{
	struct role *r = role;
	struct msg m = { .type = MSG_DELIVER_SESSIONS, .seq = request->seq };

	(void)fds, (void)n_fds;
	deliver_list(r->deliver, request->deliver_list.after,
		     &m.deliver_sessions);
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void on_kick(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	deliver_kick(r->deliver, &m->deliver_kick);
}

static void on_limits(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	deliver_limit(r->deliver, &m->deliver_limits);
}

static void on_policy(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	deliver_set_policy(r->deliver, &m->deliver_policy);
}

static void on_answer(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	deliver_answer(r->deliver, &m->deliver_answer, m->seq);
}

static void on_page(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	deliver_page(r->deliver, &m->deliver_page, m->seq,
		     n_fds > 0 ? fds[0] : -1);
}

static void on_review(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	deliver_review(r->deliver, m->deliver_review.client);
}

static void on_picture(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	deliver_picture(r->deliver, &m->deliver_picture, m->seq,
			take_fd(fds, n_fds));
}

static void on_tls(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)m;
	deliver_set_tls(r->deliver, take_fd(fds, n_fds));
}

const struct worker_role deliver_role = {
	.name = "deliver",
	.needs = NEED_VIEWERS,
	.batch = MESSAGES_FIRST,
	.new = role_new,
	.free = role_free,
	.every_second = every_second,
	.messages = {
		[MSG_DELIVER_LISTEN] = on_listen,
		[MSG_DELIVER_UNLISTEN] = on_unlisten,
		[MSG_DELIVER_MOUNT] = on_mount,
		[MSG_DELIVER_UNMOUNT] = on_unmount,
		[MSG_DELIVER_MOVE] = on_move,
		[MSG_DELIVER_VIEWER] = on_viewer,
		[MSG_DELIVER_RENEW] = on_renew,
		[MSG_DELIVER_SETTLE] = on_settle,
		[MSG_DELIVER_LIST] = on_list,
		[MSG_DELIVER_KICK] = on_kick,
		[MSG_DELIVER_LIMITS] = on_limits,
		[MSG_DELIVER_POLICY] = on_policy,
		[MSG_DELIVER_ANSWER] = on_answer,
		[MSG_DELIVER_REVIEW] = on_review,
		[MSG_DELIVER_PAGE] = on_page,
		[MSG_DELIVER_PICTURE] = on_picture,
		[MSG_DELIVER_TLS] = on_tls,
	},
};
