/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/spawn.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/loop/thread.h"
#include "common/loop/timer.h"
#include "common/supervise/handover.h"
#include "common/supervise/procfs.h"
#include "proto/ipc/contract.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OOM_LOOK_MS = 1000 };

struct spawner {
	struct ev_loop *loop;
	char *paths[SPAWN_PROGRAMS];
	char *variables[SPAWN_VARIABLES]; /* NULL: not set */
	ev_timer tick;
	TAILQ_HEAD(, spawn_ticket) queue;
	LIST_HEAD(, child) children; /* children that are not yet reaped */
	void (*on_change)(void *arg); /* NULL: no callback */
	void *arg;
	/* this process is a trial (trial.h): it signals no process */
	bool trial;
	/* processes that the kernel had ended for lack of memory, at oom_ms */
	uint64_t oom_kills;
	uint64_t oom_ms; /* time of the last read of oom_kills */
	/* see spawner_flaw(); "": no flawed library is known */
	struct errmsg flaw;
};

struct child {
	struct spawner *spawner;
	LIST_ENTRY(child) link; /* in children while pidfd is open */
	pid_t pid;
	int pidfd;
	uint64_t number; /* number in the handover; 0: none yet */
	/* the previous master started it, and child_claim() was not called */
	bool unclaimed;
	ev_io watcher;
	child_end_fn *on_end; /* NULL after child_free() */
	void *arg;
};

/* --- the queue --- */

static void on_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct spawner *s = container_of(w, struct spawner, tick);

	(void)loop, (void)revents;
	for (unsigned i = 0; i < SPAWN_BURST; i++) {
		struct spawn_ticket *ticket = TAILQ_FIRST(&s->queue);

		if (ticket == NULL) {
			ev_timer_stop(s->loop, &s->tick);
			return;
		}
		spawner_cancel(s, ticket);
		ticket->go(ticket);
	}
}

static const struct {
	const char *name;
	const char *suffix; /* added to the path of sluice-worker */
} programs[SPAWN_PROGRAMS] = {
	[SPAWN_WORKER] = { "sluice-worker", "" },
	[SPAWN_WORKER_NET] = { "sluice-worker-net", "-net" },
	[SPAWN_WORKER_TLS] = { "sluice-worker-tls", "-tls" },
	[SPAWN_WORKER_PICTURE] = { "sluice-worker-picture", "-picture" },
};

const char *spawn_program_name(enum spawn_program program)
{
	return programs[program].name;
}

struct spawner *spawner_new(struct ev_loop *loop, const char *path)
{
	struct spawner *s = xcalloc(1, sizeof *s);

	s->loop = loop;
	for (size_t i = 0; i < SPAWN_PROGRAMS; i++)
		s->paths[i] = xasprintf("%s%s", path, programs[i].suffix);
	TAILQ_INIT(&s->queue);
	LIST_INIT(&s->children);
	ev_init(&s->tick, on_tick);
	return s;
}

void spawner_free(struct spawner **s)
{
	struct child *c;

	if (*s == NULL)
		return;
	ev_timer_stop((*s)->loop, &(*s)->tick);
	while ((c = LIST_FIRST(&(*s)->children)) != NULL) {
		LIST_REMOVE(c, link);
		(void)waitid(P_PIDFD, (id_t)c->pidfd, NULL, WEXITED | WNOHANG);
		ev_io_stop((*s)->loop, &c->watcher);
		fd_close(&c->pidfd);
		free(c);
	}
	for (size_t i = 0; i < SPAWN_PROGRAMS; i++)
		free((*s)->paths[i]);
	for (size_t i = 0; i < SPAWN_VARIABLES; i++)
		free((*s)->variables[i]);
	free(*s);
	*s = NULL;
}

bool spawner_set_variable(struct spawner *s, enum spawn_variable which,
			  const char *value)
{
	char **variable = &s->variables[which];
	bool differs = (*variable == NULL) != (value == NULL) ||
		       (value != NULL && strcmp(*variable, value) != 0);

	if (differs) {
		free(*variable);
		*variable = value != NULL ? xstrdup(value) : NULL;
	}
	return differs;
}

const char *spawner_variable(const struct spawner *s, enum spawn_variable which)
{
	return s->variables[which];
}

void spawner_queue(struct spawner *s, struct spawn_ticket *ticket)
{
	if (ticket->queued)
		return;
	ticket->queued = true;
	TAILQ_INSERT_TAIL(&s->queue, ticket, link);
	if (!ev_is_active(&s->tick))
		timer_repeat(s->loop, &s->tick, 0., SPAWN_TICK_MS / 1000.);
}

void spawner_cancel(struct spawner *s, struct spawn_ticket *ticket)
{
	if (!ticket->queued)
		return;
	ticket->queued = false;
	TAILQ_REMOVE(&s->queue, ticket, link);
}

/* --- start --- */

/* The variables of the master that a worker inherits.  Other variables may
 * contain secrets. */
static const char *const kept_variables[] = {
	"PATH", "LANG", "LC_ALL", "TZ", "FDSTORE", "JOURNAL_STREAM",
	WORKER_PRIVATE_VARIABLE,
	"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS",
};

static const char *const spawn_variables[] = {
	[SPAWN_KEY] = WORKER_KEY_VARIABLE,
	[SPAWN_RECORDINGS] = WORKER_RECORDINGS_VARIABLE,
};

enum { ENVIRONMENT_MAX = ARRAY_LEN(kept_variables) + SPAWN_VARIABLES + 3 };

/* Fills the list of environment variables, which NULL ends. */
static void environment_init(char *list[ENVIRONMENT_MAX],
			     const struct spawner *s, uint64_t renew_ms)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(kept_variables); i++) {
		const char *value = getenv(kept_variables[i]);

		if (value != NULL)
			list[n++] = xasprintf("%s=%s", kept_variables[i],
					      value);
	}
	for (size_t i = 0; i < SPAWN_VARIABLES; i++)
		if (s->variables[i] != NULL)
			list[n++] = xasprintf("%s=%s", spawn_variables[i],
					      s->variables[i]);
	if (log_level() == LOG_LEVEL_DEBUG)
		list[n++] = xstrdup(WORKER_DEBUG_VARIABLE "=1");
	if (renew_ms > 0)
		list[n++] = xasprintf(WORKER_RENEW_VARIABLE "=%" PRIu64,
				      renew_ms);
	list[n] = NULL;
}

/* The worker starts with default signals and, unless same_group, in its own
 * process group, so that a signal to the group of the master (^C, timeout(1))
 * does not reach it.  0 or a positive errno. */
static int set_signals(posix_spawnattr_t *attr, bool same_group)
{
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t none, all;
	int err;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	err = posix_spawnattr_setsigmask(attr, &none);
	if (err == 0)
		err = posix_spawnattr_setsigdefault(attr, &all);
	if (err == 0)
		err = posix_spawnattr_setpgroup(attr, 0);
	if (!same_group)
		flags |= POSIX_SPAWN_SETPGROUP;
	if (err == 0)
		err = posix_spawnattr_setflags(attr, flags);
	return err;
}

static int run(const struct spawner *s, const struct child_start *how,
	       pid_t *ret_pid)
{
	const char *const argv[] = { programs[how->program].name, how->role,
				     how->object, NULL };
	posix_spawn_file_actions_t files;
	char *environment[ENVIRONMENT_MAX];
	posix_spawnattr_t attr;
	int err;

	if (posix_spawn_file_actions_init(&files) != 0)
		return -ENOMEM;
	if (posix_spawnattr_init(&attr) != 0) {
		(void)posix_spawn_file_actions_destroy(&files);
		return -ENOMEM;
	}
	environment_init(environment, s, how->renew_ms);
	err = posix_spawn_file_actions_addopen(&files, STDIN_FILENO,
					       "/dev/null", O_RDONLY, 0);
	if (err == 0 && how->error_fd > 0)
		err = posix_spawn_file_actions_adddup2(&files, how->error_fd,
						       STDERR_FILENO);
	if (err == 0)
		err = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO,
						       STDOUT_FILENO);
	if (err == 0)
		err = posix_spawn_file_actions_adddup2(&files, how->channel_fd,
						       WORKER_CHANNEL_FD);
	if (err == 0)
		err = set_signals(&attr, how->same_group);
	if (err == 0)
		err = posix_spawn(ret_pid, s->paths[how->program], &files,
				  &attr, (char *const *)(uintptr_t)argv,
				  environment);
	for (size_t i = 0; environment[i] != NULL; i++)
		free(environment[i]);
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&files);
	return -err;
}

/* --- end --- */

/* Has the kernel ended a process for lack of memory since the last call? */
static bool is_memory_short(struct spawner *s)
{
	struct buf text = { 0 };
	uint64_t before = s->oom_kills;

	if (procfs_read("/proc/vmstat", &text) == 0)
		(void)!procfs_oom_kills_parse((const char *)buf_head(&text),
					      &s->oom_kills);
	buf_done(&text);
	s->oom_ms = mono_ms();
	return s->oom_kills != before;
}

static bool reap(struct child *c, struct child_end *ret)
{
	siginfo_t info = { 0 };

	if (waitid(P_PIDFD, (id_t)c->pidfd, &info, WEXITED | WNOHANG) < 0) {
		/* ECHILD: already reaped, or not a child of this process */
		*ret = (struct child_end){ .code = -1 };
		return errno == ECHILD;
	}
	if (info.si_pid == 0)
		return false;
	*ret = (struct child_end){
		.code = info.si_code == CLD_EXITED ? info.si_status : -1,
		.signal = info.si_code == CLD_EXITED ? 0 : info.si_status,
		.core = info.si_code == CLD_DUMPED,
	};
	_Static_assert((int)WORKER_EXIT_RENEW != (int)ALLOC_EXIT_CODE,
		       "a failure is no renewal");
	ret->renews = ret->code == WORKER_EXIT_RENEW;
	ret->no_memory = ret->code == ALLOC_EXIT_CODE ||
			 (ret->signal == SIGKILL &&
			  is_memory_short(c->spawner));
	return true;
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct child *c = container_of(w, struct child, watcher);
	struct child_end end;

	(void)revents;
	if (!reap(c, &end))
		return;
	ev_io_stop(loop, &c->watcher);
	fd_close(&c->pidfd);
	LIST_REMOVE(c, link);
	spawner_touch(c->spawner);
	if (c->on_end != NULL)
		c->on_end(c, &end, c->arg);
	else
		free(c);
}

static void watch(struct spawner *s, struct child *c)
{
	c->spawner = s;
	LIST_INSERT_HEAD(&s->children, c, link);
	ev_io_init(&c->watcher, on_readable, c->pidfd, EV_READ);
	ev_io_start(s->loop, &c->watcher);
	spawner_touch(s);
}

static void *reap_in_thread(void *arg)
{
	(void)waitpid((pid_t)(intptr_t)arg, NULL, 0);
	return NULL;
}

void child_kill_unwatched(pid_t pid)
{
	pthread_t thread;

	/* the child is not yet reaped, so its pid is not reused */
	(void)kill(pid, SIGKILL);
	if (waitpid(pid, NULL, WNOHANG) != 0)
		return;
	/* without a thread, a zombie remains until this process ends */
	if (thread_start(&thread, reap_in_thread, (void *)(intptr_t)pid) == 0)
		(void)pthread_detach(thread);
}

struct child *child_start(struct spawner *s, const struct child_start *how,
			  child_end_fn *on_end, void *arg, int *ret_err)
{
	struct child *c = xcalloc(1, sizeof *c);
	int err = run(s, how, &c->pid);

	/* updates oom_kills: a lack of memory before the start does not explain
	 * the end of this child */
	if (mono_ms() - s->oom_ms > OOM_LOOK_MS)
		(void)is_memory_short(s);
	if (err < 0) {
		free(c);
		*ret_err = err;
		return NULL;
	}
	c->pidfd = pidfd_open(c->pid, 0);
	if (c->pidfd < 0) {
		*ret_err = -errno;
		child_kill_unwatched(c->pid);
		free(c);
		return NULL;
	}
	c->on_end = on_end;
	c->arg = arg;
	watch(s, c);
	return c;
}

void child_free(struct child **child)
{
	struct child *c = *child;

	*child = NULL;
	if (c == NULL)
		return;
	if (c->pidfd < 0) {
		free(c);
		return;
	}
	c->on_end = NULL;
}

void child_set_end(struct child *c, child_end_fn *on_end, void *arg)
{
	c->on_end = on_end;
	c->arg = arg;
}

pid_t child_pid(const struct child *c)
{
	return c->pid;
}

void child_signal(struct child *c, int signal)
{
	if (c->pidfd >= 0 && !c->spawner->trial)
		(void)pidfd_send_signal(c->pidfd, signal, NULL, 0);
}

size_t spawner_pids(const struct spawner *s, pid_t *list, size_t room)
{
	const struct child *c;
	size_t n = 0;

	LIST_FOREACH(c, &s->children, link) {
		if (c->pid <= 0)
			continue; /* the child had ended before its adoption */
		if (n < room)
			list[n] = c->pid;
		n++;
	}
	return n;
}

/* --- from master to master --- */

void spawner_set_on_change(struct spawner *s, void (*on_change)(void *arg),
			   void *arg)
{
	s->on_change = on_change;
	s->arg = arg;
}

void spawner_touch(struct spawner *s)
{
	if (s->on_change != NULL)
		s->on_change(s->arg);
}

void spawner_note_flawed(struct spawner *s, const char *library)
{
	if (library[0] == '\0' || s->flaw.text[0] != '\0')
		return;
	errmsg_set(&s->flaw, "%.64s: this version has known security holes; "
			     "Sluice works around them, see SECURITY", library);
	log_clean(s->flaw.text);
	log_warning("master", "%s", s->flaw.text);
}

const char *spawner_flaw(const struct spawner *s)
{
	return s->flaw.text[0] != '\0' ? s->flaw.text : NULL;
}

void spawner_write(struct spawner *s, struct handover *h)
{
	struct child *c;

	if (s->flaw.text[0] != '\0')
		(void)json_object_set_new(handover_document(h), "flaw",
					  json_string(s->flaw.text));
	LIST_FOREACH(c, &s->children, link)
		json_decref(child_write(c, h));
}

json_t *child_write(struct child *c, struct handover *h)
{
	return handover_put(h, 'p', &c->number, c->pidfd);
}

void spawner_take(struct spawner *s, struct handover *h)
{
	const char *flaw = json_string_value(json_object_get(
		handover_document(h), "flaw"));
	uint64_t number;
	int fd;

	s->trial = handover_is_trial(h);
	if (flaw != NULL)
		errmsg_set(&s->flaw, "%s", flaw);
	while ((fd = handover_take_any(h, 'p', &number)) >= 0) {
		struct buf text = { 0 };
		char path[48];
		struct child *c;
		pid_t pid; /* 0: the child has ended; -errno: fd is no pidfd */

		(void)snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
		pid = procfs_read(path, &text);
		if (pid == 0)
			pid = procfs_fdinfo_pid_parse((char *)buf_head(&text));
		buf_done(&text);
		if (pid < 0) {
			fd_close(&fd);
			continue;
		}
		c = xcalloc(1, sizeof *c);
		c->pid = pid;
		c->pidfd = fd;
		c->number = number;
		c->unclaimed = true;
		watch(s, c);
	}
}

struct child *child_claim(struct spawner *s, const json_t *name,
			  child_end_fn *on_end, void *arg)
{
	uint64_t number = handover_number(name, 'p');
	struct child *c;

	LIST_FOREACH(c, &s->children, link)
		if (c->unclaimed && c->number == number)
			break;
	if (c != NULL) {
		c->unclaimed = false;
		c->on_end = on_end;
		c->arg = arg;
	}
	return c;
}

static void log_unclaimed(const struct child *c)
{
	struct buf text = { 0 };
	char path[32], *name = NULL;

	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)c->pid);
	if (procfs_read(path, &text) == 0) {
		name = (char *)buf_head(&text);
		name[strcspn(name, "\n")] = '\0';
	}
	log_info("streams", "pid %d (%s): ended for the restart, which starts "
		 "processes of its kind anew", (int)c->pid,
		 name != NULL ? name : "unknown");
	buf_done(&text);
}

void spawner_end_unclaimed(struct spawner *s)
{
	struct child *c;

	LIST_FOREACH(c, &s->children, link) {
		if (!c->unclaimed)
			continue;
		if (c->pid > 0)
			log_unclaimed(c);
		child_signal(c, SIGKILL);
		c->unclaimed = false;
	}
}

bool child_end_is_crash(const struct child_end *end)
{
	static const int signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				       SIGSEGV, SIGSYS, SIGTRAP };
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		found |= end->signal == signals[i];
	return found && !end->no_memory;
}

void child_end_format(const struct child_end *end, char *text, size_t size)
{
	if (end->signal != 0)
		(void)snprintf(text, size, "killed by signal %d (%s)%s",
			       end->signal, strsignal(end->signal),
			       end->core ? ", core dumped" : "");
	else if (end->code < 0)
		(void)snprintf(text, size, "ended, exit status unknown");
	else
		(void)snprintf(text, size, "exit code %d", end->code);
	if (end->no_memory) {
		size_t len = strlen(text);

		(void)snprintf(text + len, size - len, ", %sout of memory",
			       end->signal != 0 ? "perhaps " : "");
	}
}
