/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/trial.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/utf8.h"
#include "common/base/util.h"
#include "common/loop/timer.h"
#include "common/supervise/handover.h"
#include "common/supervise/restart.h"
#include "common/supervise/spawn.h"

#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	KILL_MS = 1000, /* from KILL to the end of the child */
	TAIL_MAX = 512, /* bytes kept of the end of the child's output */
	LINE_MAX_SHOWN = 200,
};

struct trial {
	struct trial_config cfg;
	pid_t pid; /* leads a group of processes */
	int pidfd; /* -1: the child was reaped */
	int output;
	ev_io on_end;
	ev_io on_output;
	ev_timer timer;
	bool timed_out;
	char tail[TAIL_MAX + 1];
	size_t n;
};

/* --- the child --- */

/* Everything that the child needs between fork() and exec, where it may not
 * allocate. */
struct plan {
	const char *program;
	char **argv;
	char **environment;
	char variable[64]; /* RESTART_VARIABLE with the number of document */
	const struct handover *handover;
	int document;
	int output;
	pid_t parent;
};

/* True for variables of the service manager, which the trial must not have: it
 * reports nothing to the manager. */
static bool is_of_the_manager(const char *variable)
{
	static const char *const names[] = { "NOTIFY_SOCKET=", "FDSTORE=",
					     "LISTEN_", "WATCHDOG_" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static void plan_init(struct plan *p, const struct trial_config *cfg)
{
	size_t n = 0, to = 0;

	while (cfg->argv[n] != NULL)
		n++;
	p->argv = xcalloc(n + 2, sizeof *p->argv);
	p->argv[0] = cfg->argv[0];
	p->argv[1] = (char *)(uintptr_t)TRIAL_OPTION;
	for (size_t i = 1; i < n; i++)
		p->argv[i + 1] = cfg->argv[i];
	for (n = 0; environ[n] != NULL; n++)
		;
	p->environment = xcalloc(n + 2, sizeof *p->environment);
	for (size_t i = 0; i < n; i++)
		if (!is_of_the_manager(environ[i]))
			p->environment[to++] = environ[i];
	(void)snprintf(p->variable, sizeof p->variable, "%s=%d",
		       RESTART_VARIABLE, p->document);
	p->environment[to] = p->variable;
	p->program = cfg->program != NULL ? cfg->program : "/proc/self/exe";
	p->handover = cfg->handover;
	p->parent = getpid();
}

/* Runs in the child: executes the program.  Only calls that are safe after
 * fork() in a process with threads. */
_Noreturn static void become(const struct plan *p)
{
	int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t empty;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != p->parent)
		_exit(EXIT_FAILURE);
	(void)setpgid(0, 0);
	(void)sigemptyset(&empty);
	(void)sigprocmask(SIG_SETMASK, &empty, NULL);
	if (dup2(none, STDIN_FILENO) < 0 ||
	    dup2(p->output, STDOUT_FILENO) < 0 ||
	    dup2(p->output, STDERR_FILENO) < 0)
		_exit(EXIT_FAILURE);
	restart_set_inheritable(p->handover, true);
	(void)execve(p->program, p->argv, p->environment);
	/* a removed or broken file: executes the running program, as
	 * restart_exec() does */
	(void)execve("/proc/self/exe", p->argv, p->environment);
	_exit(EXIT_FAILURE);
}

/* --- the parent --- */

/* Reads output of the child and keeps its end; false: there is no more for
 * now. */
static bool read_output(struct trial *t)
{
	char piece[TAIL_MAX];
	ssize_t n = read(t->output, piece, sizeof piece);
	size_t len, drop;

	if (n <= 0)
		return false;
	len = (size_t)n;
	drop = t->n + len > TAIL_MAX ? t->n + len - TAIL_MAX : 0;
	memmove(t->tail, t->tail + drop, t->n - drop);
	memcpy(t->tail + t->n - drop, piece, len);
	t->n += len - drop;
	t->tail[t->n] = '\0';
	return true;
}

static void report(struct trial *t, const char *end, int code)
{
	struct errmsg error;
	size_t len, n;
	uint32_t c;
	char *line;

	/* reads what is left in the pipe, which holds 64 KiB */
	for (unsigned i = 0; i < 128 && read_output(t); i++)
		;

	/* The last line that has text.  Bytes that are no UTF-8 are replaced by
	 * '?', because the line goes to the API as JSON and may be cut. */
	while (t->n > 0 && (t->tail[t->n - 1] == '\n' ||
			    t->tail[t->n - 1] == ' '))
		t->tail[--t->n] = '\0';
	line = strrchr(t->tail, '\n');
	line = line != NULL ? line + 1 : t->tail;
	len = MIN(strlen(line), (size_t)LINE_MAX_SHOWN);
	line[len] = '\0';
	for (size_t i = 0; i < len; i += n) {
		n = utf8_get(line + i, len - i, &c);
		if (c == UTF8_REPLACEMENT && n == 1)
			line[i] = '?';
	}
	log_clean(line);

	if (end == NULL) {
		t->cfg.on_end(NULL, code, t->cfg.arg);
		return;
	}
	errmsg_set(&error, "trial of the installed program: %s%s%s", end,
		   line[0] != '\0' ? ": " : "", line);
	t->cfg.on_end(error.text, code, t->cfg.arg);
}

/* Kills the child and its descendants, which have the descriptors of the
 * service.  The number of the group is not reused while the child is not
 * reaped. */
static void kill_group(struct trial *t)
{
	(void)kill(-t->pid, SIGKILL);
	(void)pidfd_send_signal(t->pidfd, SIGKILL, NULL, 0);
}

static void stop(struct trial *t)
{
	ev_io_stop(t->cfg.loop, &t->on_end);
	ev_io_stop(t->cfg.loop, &t->on_output);
	ev_timer_stop(t->cfg.loop, &t->timer);
	fd_close(&t->pidfd);
}

static void on_child_end(struct ev_loop *loop, ev_io *w, int revents)
{
	struct trial *t = container_of(w, struct trial, on_end);
	siginfo_t info = { 0 };
	struct child_end end;
	char text[96];

	(void)loop, (void)revents;
	if (waitid(P_PIDFD, (id_t)t->pidfd, &info,
		   WEXITED | WNOHANG | WNOWAIT) == 0) {
		if (info.si_pid == 0)
			return;
		kill_group(t);
		(void)waitid(P_PIDFD, (id_t)t->pidfd, NULL, WEXITED | WNOHANG);
	}
	stop(t);
	end = (struct child_end){
		.code = info.si_code == CLD_EXITED ? info.si_status : -1,
		.signal = info.si_code == CLD_EXITED ? 0 : info.si_status,
		.core = info.si_code == CLD_DUMPED,
	};
	child_end_format(&end, text, sizeof text);
	if (t->timed_out)
		(void)snprintf(text, sizeof text, "no result within %d s",
			       TRIAL_TIMEOUT_MS / 1000);
	report(t, !t->timed_out && end.code == 0 ? NULL : text, end.code);
}

static void on_text(struct ev_loop *loop, ev_io *w, int revents)
{
	struct trial *t = container_of(w, struct trial, on_output);

	(void)revents;
	if (!read_output(t))
		ev_io_stop(loop, w);
}

static void on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct trial *t = container_of(w, struct trial, timer);

	(void)revents;
	if (!t->timed_out) {
		t->timed_out = true;
		kill_group(t);
		timer_start(loop, &t->timer, KILL_MS / 1e3);
		return;
	}
	/* the kernel holds the child, for example in a mount that does not
	 * answer */
	stop(t);
	report(t, "the new program hangs and cannot be killed", -1);
}

/* Starts the child; returns its pidfd, or -errno. */
static int run(const struct plan *p, pid_t *ret_pid)
{
	pid_t pid = fork();
	int pidfd, err;

	if (pid == 0)
		become(p);
	if (pid < 0)
		return -errno;
	/* The child does this, too.  Here it makes sure that the group exists
	 * before kill_group().  It fails after exec, when the child has already
	 * done it. */
	(void)setpgid(pid, pid);
	*ret_pid = pid;
	pidfd = pidfd_open(pid, 0);
	if (pidfd >= 0)
		return pidfd;
	err = -errno;
	child_kill_unwatched(pid);
	return err;
}

struct trial *trial_start(const struct trial_config *cfg, struct errmsg *error)
{
	struct plan plan = { .document = restart_document(cfg->handover) };
	int pidfd = plan.document, ends[2] = { -1, -1 };
	struct trial *t;
	pid_t pid = -1;

	if (pidfd >= 0 && pipe2(ends, O_CLOEXEC) < 0)
		pidfd = -errno;
	if (pidfd >= 0)
		pidfd = fd_set_nonblock(ends[0]);
	if (pidfd >= 0) {
		plan_init(&plan, cfg);
		plan.output = ends[1];
		pidfd = run(&plan, &pid);
	}
	free(plan.argv);
	free(plan.environment);
	fd_close(&plan.document);
	fd_close(&ends[1]);
	if (pidfd < 0) {
		fd_close(&ends[0]);
		errmsg_set(error, "trial of the installed program: %s",
			   strerror(-pidfd));
		return NULL;
	}
	t = xcalloc(1, sizeof *t);
	t->cfg = *cfg;
	t->pid = pid;
	t->pidfd = pidfd;
	t->output = ends[0];
	ev_io_init(&t->on_end, on_child_end, t->pidfd, EV_READ);
	ev_io_init(&t->on_output, on_text, t->output, EV_READ);
	ev_init(&t->timer, on_timer);
	ev_io_start(cfg->loop, &t->on_end);
	ev_io_start(cfg->loop, &t->on_output);
	timer_start(cfg->loop, &t->timer, TRIAL_TIMEOUT_MS / 1e3);
	return t;
}

void trial_free(struct trial **trial)
{
	struct trial *t = *trial;

	*trial = NULL;
	if (t == NULL)
		return;
	if (t->pidfd >= 0) {
		kill_group(t);
		(void)waitid(P_PIDFD, (id_t)t->pidfd, NULL, WEXITED | WNOHANG);
		stop(t);
	}
	fd_close(&t->output);
	free(t);
}
