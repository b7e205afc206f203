/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/worker.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/loop/timer.h"
#include "config.h"
#include "proto/ipc/contract.h"
#include "proto/ipc/msg.h"
#include "worker/core/confine.h"
#include "worker/core/hidden.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

static void log_to_master(enum log_level level, const char *component,
			  const char *text, void *arg)
{
	struct worker *w = arg;
	struct msg m = { .type = MSG_WORKER_LOG,
			 .worker_log = { level, component, text } };

	if (channel_send(w->channel, &m, NULL, 0) == -EPIPE)
		log_to_stderr(level, component, text, NULL);
}

static void open_log(struct worker *w, bool debug)
{
	log_open(log_to_master, w, debug ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
}

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct worker *w = arg;
	worker_message_fn *handle = w->role->messages[m->type];

	(void)channel;
	/* ignores further messages of a batch after worker_exit() */
	if (w->stopping)
		return;
	if (m->type == MSG_WORKER_DEBUG)
		open_log(w, m->worker_debug.on);
	else if (handle != NULL)
		handle(w->context, m, fds, n_fds);
	else
		log_warning(w->role->name, "message %s ignored: a worker of "
			    "the role %s does not take it",
			    msg_type_name(m->type),
			    w->role->name);
}

static void on_second(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct worker *w = container_of(timer, struct worker, second);

	(void)loop, (void)revents;
	if (!w->ready)
		worker_send_ready(w);
	w->ready = true;
	w->role->every_second(w->context);
}

static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	struct worker *w = arg;

	(void)channel;
	if (err < 0)
		log_error("worker", "channel to the master: %s", error);
	worker_exit(w, err < 0 ? EX_PROTOCOL : EX_OK);
}

static const struct channel_events channel_events = {
	.on_message = on_message,
	.on_close = on_close,
};

static void on_term(struct ev_loop *loop, ev_io *io, int revents)
{
	struct signalfd_siginfo info;
	bool renews = read(io->fd, &info, sizeof info) > 0 &&
		      info.ssi_signo == HIDDEN_SIGNAL;

	(void)loop, (void)revents;
	worker_exit(container_of(io, struct worker, on_term),
		    renews ? WORKER_EXIT_RENEW : EX_OK);
}

/* Ends with SIGTERM, HIDDEN_SIGNAL, the end of the channel or worker_exit().
 * Blocks these signals in all threads, so that the loop receives them. */
static int run(const struct worker_role *role, const char *object,
	       const char *flawed)
{
	struct worker w = { .object = object, .role = role };
	const struct msg hello = {
		.type = MSG_WORKER_HELLO,
		.worker_hello = { .proto = MSG_PROTO_VERSION,
				  .build = PACKAGE_VERSION,
				  .role = role->name,
				  .flawed = flawed },
	};
	sigset_t signals;
	int term;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, HIDDEN_SIGNAL);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
	term = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	w.loop = ev_loop_new(EVFLAG_NOENV);
	if (w.loop == NULL || term < 0)
		return EX_OSERR;
	w.channel = channel_new(&(struct channel_config){
		.loop = w.loop,
		.fd = WORKER_CHANNEL_FD,
		.receives = MSG_TO_WORKER,
		.batch = role->batch,
		.events = &channel_events,
		.arg = &w,
	});
	ev_io_init(&w.on_term, on_term, term, EV_READ);
	ev_io_start(w.loop, &w.on_term);
	open_log(&w, getenv(WORKER_DEBUG_VARIABLE) != NULL);
	(void)channel_send(w.channel, &hello, NULL, 0);
	w.context = role->new(&w);
	if (!role->enters_late)
		(void)worker_enter_sandbox(&w, NULL);
	ev_init(&w.second, on_second);
	if (role->every_second != NULL)
		timer_repeat(w.loop, &w.second, 0., 1.);

	if (!w.stopping)
		ev_run(w.loop, 0);

	ev_timer_stop(w.loop, &w.second);
	role->free(w.context);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	channel_free(&w.channel);
	ev_io_stop(w.loop, &w.on_term);
	fd_close(&term);
	ev_loop_destroy(w.loop);
	return w.exit_code;
}

static void *allocate(void *ptr, long size)
{
	if (size > 0)
		return xrealloc(ptr, (size_t)size);
	free(ptr);
	return NULL;
}

int worker_start(const struct worker_role *const *roles, const char *flawed,
		 int argc, char **argv)
{
	const struct worker_role *role = NULL;
	char name[16];
	struct stat st;
	int err;

	if (fd_hold_stdio() < 0)
		return EX_OSERR;
	for (; argc == 3 && *roles != NULL && role == NULL; roles++)
		if (strcmp((*roles)->name, argv[1]) == 0)
			role = *roles;
	if (role == NULL || fstat(WORKER_CHANNEL_FD, &st) < 0 ||
	    !S_ISSOCK(st.st_mode)) {
		(void)fputs("sluice-worker " PACKAGE_VERSION
			    " is started by sluice(8)\n",
			    stderr);
		return EX_USAGE;
	}
	/* shown by top and ps: "stream a001" */
	(void)snprintf(name, sizeof name, "%s %s", role->name, argv[2]);
	(void)prctl(PR_SET_NAME, name);
	(void)signal(SIGPIPE, SIG_IGN);
	/* Ctrl-C reaches all processes of a terminal; the master handles it */
	(void)signal(SIGINT, SIG_IGN);
	/* If memory is exhausted, libraries end the process, as our code does.
	 * JSON is wiped when it is freed, because messages have passwords and
	 * control words. */
	json_set_alloc_funcs(xmalloc, free_wiped);
	ev_set_allocator(allocate);
	err = confine(role->capabilities);
	if (err < 0) {
		log_error("worker", "cannot drop privileges: %s",
			  strerror(-err));
		return EX_OSERR;
	}
	return run(role, argv[2], flawed);
}

bool worker_enter_sandbox(struct worker *w, struct grants *take_grants)
{
	int err = sandbox_enter(w->role->needs, take_grants);

	if (take_grants != NULL)
		grants_done(take_grants);
	if (err == 0)
		return true;
	log_error("worker", "cannot enter the sandbox: %s", strerror(-err));
	worker_exit(w, EX_OSERR);
	return false;
}

bool worker_drop_capabilities(struct worker *w)
{
	int err = drop_capabilities(0);

	if (err == 0)
		return true;
	log_error(w->role->name, "cannot drop capabilities: %s",
		  strerror(-err));
	worker_exit(w, EX_OSERR);
	return false;
}

void worker_send_ready(struct worker *w)
{
	struct msg m = { .type = MSG_WORKER_READY };

	(void)channel_send(w->channel, &m, NULL, 0);
}

void worker_exit(struct worker *w, int code)
{
	if (w->stopping)
		return;
	w->stopping = true;
	w->exit_code = code;
	ev_break(w->loop, EVBREAK_ALL);
}
