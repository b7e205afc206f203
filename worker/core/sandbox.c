/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/sandbox.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/file_list.h"
#include "common/base/landlock.h"
#include "common/base/log.h"
#include "common/loop/thread.h"
#include "config.h"
#include "worker/core/private.h"
#include "worker/core/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { GRANTS_MAX_S = 2 };

/* Bytes of a process beside rings; a stream takes a few MB. */
#define MEMORY_MAX (UINT64_C(4) << 30)

/* What all programs and libraries read. */
static const char *const common_files[] = {
	"/dev/urandom",
	"/etc/localtime",
	"/proc/sys/vm/overcommit_memory", /* malloc */
	"/sys/devices/system/cpu/online", /* malloc of threads */
	"/usr/share/zoneinfo",
};

/* The states of its own threads (librist's watchdog). */
#define THREAD_STATES "/proc/self/task"

static const char *const name_files[] = {
	"/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/nsswitch.conf",
	"/etc/protocols", "/etc/services",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/usr/lib/ssl",
	"/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
};

/* Where resolv.conf is that other programs write. */
static const char *const resolver_files[] = {
	"/etc/resolv.conf", "/run/NetworkManager", "/run/resolvconf",
	"/run/systemd/resolve", "/run/connman",
};

/* Folders of the system: a file in there is allowed, its neighbours are not. */
static const char *const system_folders[] = {
	"/", "/dev", "/etc", "/proc", "/root", "/run", "/sys", "/var",
	"/var/lib",
};

/* --- the rules of the grants, in a thread: the disk may not answer --- */

/* Shared by the process and the thread; the last user frees it. */
struct granting {
	int rules;
	struct grants grants;
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool ended, left;
};

static void granting_free(struct granting *g)
{
	fd_close(&g->rules);
	grants_done(&g->grants);
	(void)pthread_cond_destroy(&g->done);
	(void)pthread_mutex_destroy(&g->lock);
	free(g);
}

static void allow(int rules, const char *path, enum landlock_use use)
{
	/* What does not exist now is hidden: see hidden.h. */
	(void)!landlock_allow(rules, path, use);
}

/* May the other files of the folder be read, too?  Not those of the system,
 * and not the configuration and the state. */
static bool is_open(const char *folder)
{
	for (size_t i = 0; i < ARRAY_LEN(system_folders); i++)
		if (strcmp(folder, system_folders[i]) == 0)
			return false;
	return !private_has(folder) && !private_is_in(folder);
}

/* A file, and the folder in which another one may replace it. */
static void allow_input(int rules, const char *path)
{
	char real[PATH_MAX], folder[PATH_MAX];

	if (realpath(path, real) == NULL)
		(void)snprintf(real, sizeof real, "%s", path);
	allow(rules, real, LANDLOCK_READ);
	for (size_t i = 0; i < 2; i++) {
		char resolved[PATH_MAX];

		(void)snprintf(folder, sizeof folder, "%s",
			       i == 0 ? path : real);
		if (realpath(dirname(folder), resolved) != NULL &&
		    is_open(resolved))
			allow(rules, resolved, LANDLOCK_READ);
	}
}

static void allow_list(int rules, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct buf text = { 0 };
	struct file_list list;
	struct errmsg error;

	allow_input(rules, path);
	if (fd >= 0 && fd_read_all(fd, FILE_LIST_BYTES_MAX, &text) == 0 &&
	    buf_len(&text) > 0 &&
	    file_list_read(path, (const char *)buf_head(&text),
			   buf_len(&text), &list, &error) == 0) {
		for (size_t i = 0; i < list.n; i++)
			allow_input(rules, list.paths[i]);
		file_list_done(&list);
	}
	buf_done(&text);
	fd_close(&fd);
}

static void *run(void *arg)
{
	struct granting *g = arg;
	bool last;

	for (size_t i = 0; i < g->grants.n; i++) {
		const struct grant *one = &g->grants.list[i];

		if (one->use == GRANT_INPUT)
			allow_input(g->rules, one->path);
		else if (one->use == GRANT_LIST)
			allow_list(g->rules, one->path);
		else if (one->use == GRANT_FILE)
			allow(g->rules, one->path, LANDLOCK_READ);
		else if (!private_is_in(one->path))
			allow(g->rules, one->path, LANDLOCK_RECORD);
	}
	(void)pthread_mutex_lock(&g->lock);
	g->ended = true;
	last = g->left;
	(void)pthread_cond_signal(&g->done);
	(void)pthread_mutex_unlock(&g->lock);
	if (last)
		granting_free(g);
	return NULL;
}

static struct granting *granting_new(int rules, const struct grants *from)
{
	struct granting *g = xcalloc(1, sizeof *g);
	pthread_condattr_t attr;

	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&g->done, &attr);
	(void)pthread_condattr_destroy(&attr);
	(void)pthread_mutex_init(&g->lock, NULL);
	g->rules = fcntl(rules, F_DUPFD_CLOEXEC, 0);
	g->grants.list = xcalloc(from->n, sizeof *from->list);
	for (; g->grants.n < from->n; g->grants.n++)
		g->grants.list[g->grants.n] = (struct grant){
			.use = from->list[g->grants.n].use,
			.path = xstrdup(from->list[g->grants.n].path),
		};
	return g;
}

static int add_grants(int rules, const struct grants *from)
{
	struct granting *g = granting_new(rules, from);
	struct timespec until;
	pthread_t thread;
	bool ended;
	int err = thread_start(&thread, run, g);

	if (err < 0) {
		granting_free(g);
		return err;
	}
	(void)pthread_detach(thread);
	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += GRANTS_MAX_S;
	(void)pthread_mutex_lock(&g->lock);
	while (!g->ended && pthread_cond_timedwait(&g->done, &g->lock,
						   &until) == 0)
		;
	ended = g->ended;
	g->left = true;
	(void)pthread_mutex_unlock(&g->lock);
	if (ended)
		granting_free(g);
	else
		log_warning("worker", "a disk of the files does not answer: "
			    "they stay closed to this process");
	return 0;
}

/* --- the sandbox --- */

static void allow_all(int rules, const char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		allow(rules, paths[i], LANDLOCK_READ);
}

static int enter_files(unsigned needs, const struct grants *grants)
{
	int rules = landlock_new(needs & NEED_TCP);
	int err = 0;

	if (rules == -ENOSYS || rules == -EOPNOTSUPP)
		return 0; /* the master has said so */
	if (rules < 0)
		return rules;
	allow(rules, "/dev/null", LANDLOCK_DEVICE);
	allow_all(rules, common_files, ARRAY_LEN(common_files));
	if (needs & NEED_NAMES) {
		allow_all(rules, name_files, ARRAY_LEN(name_files));
		allow_all(rules, resolver_files, ARRAY_LEN(resolver_files));
		/* stays open: /proc forgets a folder that no process holds */
		if (open(THREAD_STATES, O_PATH | O_CLOEXEC) >= 0)
			allow(rules, THREAD_STATES, LANDLOCK_READ);
	}
	/* reports of leaks, and the names of functions in reports */
	if (SANITIZED) {
		allow(rules, "/proc/self", LANDLOCK_READ);
		allow(rules, "/proc/self/exe", LANDLOCK_READ);
	}
	if (grants != NULL && grants->n > 0)
		err = add_grants(rules, grants);
	if (err == 0)
		err = landlock_enforce(rules);
	fd_close(&rules);
	return err;
}

/* Bounds what this process can take from the others. */
static void limit(unsigned needs)
{
	const struct rlimit none = { 0, 0 }, memory = { MEMORY_MAX,
							MEMORY_MAX };

	/* sanitizers need threads, and address space without end */
	if (SANITIZED)
		return;
	if ((needs & NEED_THREADS) == 0)
		(void)setrlimit(RLIMIT_NPROC, &none);
	(void)setrlimit(RLIMIT_DATA, &memory);
	(void)setrlimit(RLIMIT_MSGQUEUE, &none);
	(void)setrlimit(RLIMIT_MEMLOCK, &none);
}

int sandbox_enter(unsigned needs, const struct grants *grants)
{
	int err;

	if (grants != NULL)
		needs |= grants->needs;
	/* reads the time zone while it can */
	tzset();
	limit(needs);
	err = enter_files(needs, grants);
	return err == 0 ? syscalls_confine(needs) : err;
}
