/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/component/worker_rig.h"

#include "common/base/fd.h"
#include "proto/ipc/contract.h"
#include "tests/component/rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_pulse(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)loop, (void)timer, (void)revents;
}

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct worker_rig *r = arg;
	unsigned heard = 0;

	(void)channel, (void)fds, (void)n_fds;
	for (unsigned i = 0; i < MSG_COUNT; i++)
		heard += r->n[i];
	if (heard == 0)
		r->first = m->type;
	r->n[m->type]++;
	if (m->type == MSG_WORKER_LOG)
		(void)snprintf(r->log, sizeof r->log, "%s",
			       m->worker_log.text);
	if (r->hear != NULL)
		r->hear(m, r->arg);
}

static void on_close(struct channel *channel, int err, const char *why,
		     void *arg)
{
	struct worker_rig *r = arg;

	(void)channel, (void)err, (void)why;
	r->closed = true;
}

static const struct channel_events events = {
	.on_message = on_message,
	.on_close = on_close,
};

static void exec_worker(int fd, const char *program, const char *role)
{
	if (dup2(fd, WORKER_CHANNEL_FD) < 0)
		_exit(1);
	/* fd may be 3 already, and close-on-exec */
	(void)fcntl(WORKER_CHANNEL_FD, F_SETFD, 0);
	(void)execl(rig_built(program), "sluice-worker", role, "1",
		    (char *)NULL);
	_exit(1);
}

void worker_rig_init(struct worker_rig *r, const char *program,
		     const char *role,
		     void (*hear)(const struct msg *, void *arg), void *arg)
{
	int fds[2];

	*r = (struct worker_rig){ .loop = ev_loop_new(EVFLAG_NOENV),
				  .hear = hear,
				  .arg = arg };
	ev_timer_init(&r->pulse, on_pulse, 0.005, 0.005);
	ev_timer_start(r->loop, &r->pulse);
	cr_assert_eq(fd_seqpacket_pair(fds), 0);
	r->worker = fork();
	if (r->worker == 0)
		exec_worker(fds[1], program, role);
	cr_assert_gt(r->worker, 0);
	fd_close(&fds[1]);
	r->channel = channel_new(&(struct channel_config){
		.loop = r->loop,
		.fd = fds[0],
		.receives = MSG_TO_MASTER,
		.events = &events,
		.arg = r,
	});
}

int worker_rig_done(struct worker_rig *r)
{
	int status = -1;

	channel_free(&r->channel);
	cr_assert_eq(waitpid(r->worker, &status, 0), r->worker);
	ev_timer_stop(r->loop, &r->pulse);
	ev_loop_destroy(r->loop);
	return status;
}
