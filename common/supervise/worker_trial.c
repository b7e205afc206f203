/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/worker_trial.h"

#include "common/base/fd.h"
#include "common/loop/timer.h"
#include "common/supervise/spawn.h"
#include "config.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_MAX = 65536 /* bytes of a pipe */, LINE_SHOWN = 120 };

struct try {
	struct worker_trial *owner;
	struct child *child;
	struct channel *channel;
	bool greeted; /* worker.hello, with the protocol of this program */
};

struct worker_trial {
	struct ev_loop *loop;
	struct try tries[SPAWN_PROGRAMS];
	unsigned left;  /* workers that have not ended */
	int output[2];  /* the standard error of the workers */
	struct errmsg *error;
	int result;
};

/* For each program a role that works without a task; NULL: the program was not
 * built. */
static const char *const roles[SPAWN_PROGRAMS] = {
	[SPAWN_WORKER] = "auth",
	[SPAWN_WORKER_NET] = "softcam",
	[SPAWN_WORKER_TLS] = "tls",
	[SPAWN_WORKER_PICTURE] = HAVE_PICTURE ? "picture" : NULL,
};

/* Notes a failure of the trial; the first one is its result. */
static void fail(struct try *t, int err, const char *reason)
{
	static char text[OUTPUT_MAX + 1];
	struct worker_trial *w = t->owner;
	enum spawn_program program = (enum spawn_program)(t - w->tries);
	const char *line;
	ssize_t n;

	if (w->result < 0)
		return;
	/* the last line that the workers wrote to standard error */
	n = read(w->output[0], text, OUTPUT_MAX);
	text[MAX(n, 0)] = '\0';
	for (; n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '); n--)
		text[n - 1] = '\0';
	line = strrchr(text, '\n');
	line = line != NULL ? line + 1 : text;
	w->result = errmsg_fail(w->error, err, "%s: %s%s%.*s",
				spawn_program_name(program), reason,
				line[0] != '\0' ? ": " : "", LINE_SHOWN, line);
	ev_break(w->loop, EVBREAK_ALL);
}

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct try *t = arg;

	(void)channel, (void)fds, (void)n_fds;
	if (m->type != MSG_WORKER_HELLO)
		return;
	if (m->worker_hello.proto != MSG_PROTO_VERSION) {
		fail(t, -EPROTO, "its protocol is not that of sluice: the "
				 "programs are of different builds");
		return;
	}
	t->greeted = true;
	/* the worker ends when its channel is closed */
	channel_free(&t->channel);
}

/* Called at the end of the channel; the end of the process has the reason. */
static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	struct try *t = arg;

	(void)channel, (void)error;
	channel_free(&t->channel);
	if (err < 0)
		fail(t, err, "it sends invalid messages");
}

static void on_end(struct child *child, const struct child_end *end, void *arg)
{
	struct try *t = arg;
	char text[96];

	(void)child;
	child_free(&t->child);
	child_end_format(end, text, sizeof text);
	if (end->code != 0)
		fail(t, -ECHILD, text);
	else if (!t->greeted)
		fail(t, -ECHILD, "it ended without a report to sluice");
	else if (--t->owner->left == 0)
		ev_break(t->owner->loop, EVBREAK_ALL);
}

static void on_timer(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct worker_trial *w = timer->data;
	char reason[64];

	(void)loop, (void)revents;
	(void)snprintf(reason, sizeof reason, "no result within %d s",
		       WORKER_TRIAL_MS / 1000);
	for (size_t i = 0; i < SPAWN_PROGRAMS; i++)
		if (w->tries[i].child != NULL)
			fail(&w->tries[i], -ETIMEDOUT, reason);
}

static void start(struct try *t, struct spawner *s, enum spawn_program program)
{
	static const struct channel_events events = { .on_message = on_message,
						      .on_close = on_close };
	struct worker_trial *w = t->owner;
	int fds[2], err = fd_seqpacket_pair(fds);

	if (err < 0) {
		fail(t, err, strerror(-err));
		return;
	}
	t->child = child_start(s, &(struct child_start){
		.program = program, .role = roles[program], .object = "trial",
		.channel_fd = fds[1], .error_fd = w->output[1],
		.same_group = true }, on_end, t, &err);
	fd_close(&fds[1]);
	if (t->child == NULL) {
		fd_close(&fds[0]);
		fail(t, err, strerror(-err));
		return;
	}
	t->channel = channel_new(&(struct channel_config){
		.loop = w->loop, .fd = fds[0], .receives = MSG_TO_MASTER,
		.events = &events, .arg = t });
}

int worker_trial(const char *path, struct errmsg *error)
{
	struct worker_trial w = { .error = error,
				  .loop = ev_loop_new(EVFLAG_NOENV) };
	struct spawner *s;
	ev_timer timer = { .data = &w };
	int r;

	if (w.loop == NULL)
		return errmsg_fail(error, -ENOMEM, "no memory for a loop");
	if (pipe2(w.output, O_CLOEXEC | O_NONBLOCK) < 0) {
		r = errmsg_fail(error, -errno, "%s", strerror(errno));
		ev_loop_destroy(w.loop);
		return r;
	}
	s = spawner_new(w.loop, path);
	for (size_t i = 0; i < SPAWN_PROGRAMS; i++)
		w.left += roles[i] != NULL;
	for (size_t i = 0; i < SPAWN_PROGRAMS; i++) {
		if (roles[i] == NULL)
			continue;
		w.tries[i].owner = &w;
		start(&w.tries[i], s, (enum spawn_program)i);
	}
	ev_init(&timer, on_timer);
	timer_start(w.loop, &timer, WORKER_TRIAL_MS / 1e3);
	if (w.result == 0)
		ev_run(w.loop, 0);
	for (size_t i = 0; i < SPAWN_PROGRAMS; i++) {
		channel_free(&w.tries[i].channel);
		if (w.tries[i].child != NULL)
			child_signal(w.tries[i].child, SIGKILL);
		child_free(&w.tries[i].child);
	}
	spawner_free(&s);
	ev_loop_destroy(w.loop);
	fd_close(&w.output[0]);
	fd_close(&w.output[1]);
	return w.result;
}
