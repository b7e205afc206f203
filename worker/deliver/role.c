/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `deliver`: the master's words to acts, the numbers to words. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "worker/deliver/deliver.h"
#include "worker/core/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Mounts told in one second; the channel calls more a flood. */
enum { CHANGES_MAX = 1000 };

struct role {
	struct worker *worker;
	struct deliver *deliver;
	ev_timer second;
	bool ready;
	size_t cursor; /* the mount to tell next */
};

static void send_status(struct role *r)
{
	struct msg m = { .type = MSG_DELIVER_STATUS,
			 .deliver_status = deliver_status(r->deliver) };

	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void send_changes(struct role *r)
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

static void on_second(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)loop, (void)revents;
	struct role *r = container_of(timer, struct role, second);

	if (!r->ready)
		worker_send_ready(r->worker);
	r->ready = true;
	deliver_second(r->deliver);
	send_status(r);
	send_changes(r);
}

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	r->deliver = deliver_new(&(struct deliver_config){
		.loop = worker->loop,
	});
	ev_timer_init(&r->second, on_second, 0., 1.);
	ev_timer_start(worker->loop, &r->second);
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	ev_timer_stop(r->worker->loop, &r->second);
	deliver_free(&r->deliver);
	free(r);
}

/* The descriptor that came with a message, now ours; -1 without. */
static int take_fd(int *fds, size_t n_fds)
{
	int fd = n_fds > 0 ? fds[0] : -1;

	if (n_fds > 0)
		fds[0] = -1;
	return fd;
}

static void listen_on(struct role *r, const struct msg_deliver_listen *l,
		      int *fds, size_t n_fds)
{
	int fd = take_fd(fds, n_fds);

	if (fd < 0)
		log_error("deliver", "%s: no socket came with it", l->address);
	else
		deliver_listen(r->deliver, l->address, fd);
}

static void mount(struct role *r, const struct msg_deliver_mount *name,
		  int *fds, size_t n_fds)
{
	int err = n_fds > 0 ? deliver_mount(r->deliver, name, fds[0]) : -EBADF;

	if (err < 0)
		log_error("deliver", "%s%s: the ring of stream %s: %s",
			  name->address, name->path, name->stream,
			  strerror(-err));
	else
		fds[0] = -1;
}

static void send_sessions(struct role *r, const struct msg *question)
{
	struct msg m = { .type = MSG_DELIVER_SESSIONS, .seq = question->seq };

	deliver_list(r->deliver, question->deliver_list.after,
		     &m.deliver_sessions);
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void on_message(void *role, const struct msg *m, int *fds,
		       size_t n_fds)
{
	struct role *r = role;

	switch (m->type) {
	case MSG_DELIVER_LISTEN:
		listen_on(r, &m->deliver_listen, fds, n_fds);
		break;
	case MSG_DELIVER_UNLISTEN:
		deliver_unlisten(r->deliver, m->deliver_unlisten.address);
		break;
	case MSG_DELIVER_MOUNT:
		mount(r, &m->deliver_mount, fds, n_fds);
		break;
	case MSG_DELIVER_UNMOUNT:
		deliver_unmount(r->deliver, &m->deliver_unmount);
		break;
	case MSG_DELIVER_RENEW:
		deliver_renew(r->deliver);
		break;
	case MSG_DELIVER_SETTLE:
		deliver_settle(r->deliver);
		break;
	case MSG_DELIVER_LIST:
		send_sessions(r, m);
		break;
	case MSG_DELIVER_TLS:
		deliver_set_tls(r->deliver, fds[0]);
		fds[0] = -1;
		break;
	case MSG_DELIVER_KICK:
		deliver_kick(r->deliver, m->deliver_kick.client);
		break;
	default:
		log_warning("deliver", "%s is not for this role",
			    msg_type_name(m->type));
		break;
	}
}

const struct worker_role deliver_role = {
	.name = "deliver",
	.new = role_new,
	.free = role_free,
	.on_message = on_message,
};
