/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/sandbox.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/file_list.h"
#include "common/base/landlock.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/sorted.h"
#include "config.h"
#include "proto/ipc/contract.h"
#include "worker/core/private.h"
#include "worker/core/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { GRANTS_MAX_MS = 2000 };

/* The most bytes of writable private memory of a process (RLIMIT_DATA).  Rings
 * are shared, so they do not count.  A stream takes a few MB. */
#define MEMORY_MAX (UINT64_C(4) << 30)
/* The same with NEED_CLOCK: room for all reference frames of the largest
 * picture that is decoded. */
#define LITTLE_MEMORY_MAX (UINT64_C(512) << 20)

/* Files that all programs and libraries read. */
static const char *const common_files[] = {
	"/dev/urandom",
	"/etc/localtime",
	"/proc/sys/vm/overcommit_memory", /* read by malloc */
	"/sys/devices/system/cpu/online", /* read by malloc in threads */
	"/usr/share/zoneinfo",
};

/* The states of the threads of this process, which librist's watchdog reads. */
#define THREAD_STATES "/proc/self/task"

static const char *const name_files[] = {
	"/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/nsswitch.conf",
	"/etc/protocols", "/etc/services",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/usr/lib/ssl",
	"/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
};

/* Where programs that configure the network write resolv.conf. */
static const char *const resolver_files[] = {
	"/etc/resolv.conf", "/run/NetworkManager", "/run/resolvconf",
	"/run/systemd/resolve", "/run/connman",
};

/* Folders of the system.  A grant for a file in such a folder allows this file,
 * but not the other files of the folder. */
static const char *const system_folders[] = {
	"/", "/dev", "/etc", "/proc", "/root", "/run", "/sys", "/var",
	"/var/lib",
};

/* --- the rules of the grants, in a process: the disk may not answer --- */

static void allow(int rules, const char *path, enum landlock_use use)
{
	/* a path that does not exist gets no rule: see hidden.h */
	(void)!landlock_allow(rules, path, use);
}

/* May the other files of the folder be read, too?  False for folders of the
 * system, of the configuration and of the state. */
static bool is_open(const char *folder)
{
	for (size_t i = 0; i < ARRAY_LEN(system_folders); i++)
		if (strcmp(folder, system_folders[i]) == 0)
			return false;
	return !private_has(folder) && !private_is_in(folder);
}

/* Allows to read a file, and its folder, where another file may replace it.
 * listed: not the folder if other streams record below it. */
static void allow_input(int rules, const char *path, bool listed)
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
		    is_open(resolved) &&
		    !(listed && private_has_recordings(resolved)))
			allow(rules, resolved, LANDLOCK_READ);
	}
}

/* Folders that have a rule: files of the list in these folders need no rule of
 * their own. */
struct folders {
	char **list; /* sorted by name */
	size_t n;
};

static int by_name(size_t i, const void *arg)
{
	const void *const *wanted = arg;

	return strcmp(((const struct folders *)wanted[0])->list[i], wanted[1]);
}

/* Allows to read a file of a list.  Looks at each folder once, because a list
 * has few folders and may have thousands of files. */
static void allow_line(int rules, struct folders *f, const char *path)
{
	char name[PATH_MAX], folder[PATH_MAX];
	const void *wanted[] = { f, name };
	struct stat st;
	size_t at;
	bool found;

	(void)snprintf(name, sizeof name, "%s", path);
	(void)dirname(name);
	at = sorted_place(f->n, by_name, wanted, &found);
	if (found && lstat(path, &st) == 0 && !S_ISLNK(st.st_mode))
		return;
	allow_input(rules, path, true);
	if (found || realpath(name, folder) == NULL || !is_open(folder) ||
	    private_has_recordings(folder))
		return;
	f->list = xrealloc(f->list, (f->n + 1) * sizeof *f->list);
	memmove(f->list + at + 1, f->list + at, (f->n - at) * sizeof *f->list);
	f->list[at] = xstrdup(name);
	f->n++;
}

static void allow_list(int rules, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct folders folders = { 0 };
	struct buf text = { 0 };
	struct file_list list;
	struct errmsg error;

	allow_input(rules, path, false);
	if (fd >= 0 && fd_read_all(fd, FILE_LIST_BYTES_MAX, &text) == 0 &&
	    buf_len(&text) > 0 &&
	    file_list_read(path, (const char *)buf_head(&text),
			   buf_len(&text), &list, &error) == 0) {
		for (size_t i = 0; i < list.n; i++)
			if (private_list_may(path, list.paths[i]))
				allow_line(rules, &folders, list.paths[i]);
		file_list_done(&list);
	}
	for (size_t i = 0; i < folders.n; i++)
		free(folders.list[i]);
	free(folders.list);
	buf_done(&text);
	fd_close(&fd);
}

static void allow_grants(int rules, const struct grants *grants)
{
	for (size_t i = 0; i < grants->n; i++) {
		const struct grant *one = &grants->list[i];

		if (private_is_key(one->path))
			continue;
		if (one->use == GRANT_INPUT)
			allow_input(rules, one->path, false);
		else if (one->use == GRANT_LIST)
			allow_list(rules, one->path);
		else if (one->use == GRANT_FILE)
			allow(rules, one->path, LANDLOCK_READ);
		else if (one->use == GRANT_DEVICES)
			allow(rules, one->path, LANDLOCK_DEVICE);
		else if (!private_is_in(one->path))
			allow(rules, one->path, LANDLOCK_RECORD);
	}
}

/* Waits for the end of the pipe; false: GRANTS_MAX_MS have passed. */
static bool await_end(int fd)
{
	const uint64_t until_ms = mono_ms() + GRANTS_MAX_MS;
	struct pollfd p = { .fd = fd };
	uint64_t now_ms;
	int n = -1;

	while (n < 0 && (now_ms = mono_ms()) < until_ms)
		n = poll(&p, 1, (int)(until_ms - now_ms));
	return n > 0;
}

/* Adds the rules of the grants in another process, because a disk may not
 * answer.  A thread that waits for the disk would stay in this process, outside
 * of Landlock.  0 or -errno. */
static int add_grants(int rules, const struct grants *grants)
{
	static const char from[] = "-worker", to[] = "-grants";
	char *at = strstr(program_invocation_short_name, from);
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	/* the kernel removes the child process when it ends */
	(void)signal(SIGCHLD, SIG_IGN);
	pid = fork();
	if (pid == 0) {
		/* the list of processes shows it as "sluice-grants" */
		if (at != NULL)
			memcpy(at, to, sizeof to - 1);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* closes the channel: otherwise the master would not see the
		 * end of the worker */
		(void)close(WORKER_CHANNEL_FD);
		allow_grants(rules, grants);
		_exit(0); /* closes the pipe */
	}
	fd_close(&ends[1]);
	if (pid < 0) {
		fd_close(&ends[0]);
		return -EAGAIN;
	}
	if (!await_end(ends[0])) {
		(void)kill(pid, SIGKILL);
		log_warning("worker", "a disk does not answer: this worker "
			    "cannot open the files on this disk");
	}
	fd_close(&ends[0]);
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
		return 0; /* the master has logged that Landlock is missing */
	if (rules < 0)
		return rules;
	allow(rules, "/dev/null", LANDLOCK_DEVICE);
	allow_all(rules, common_files, ARRAY_LEN(common_files));
	if (needs & NEED_NAMES) {
		allow_all(rules, name_files, ARRAY_LEN(name_files));
		allow_all(rules, resolver_files, ARRAY_LEN(resolver_files));
		/* stays open, because /proc forgets a folder that no process
		 * has open, and its rule */
		if (open(THREAD_STATES, O_PATH | O_CLOEXEC) >= 0)
			allow(rules, THREAD_STATES, LANDLOCK_READ);
	}
	/* sanitizers read these for their reports */
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

/* Limits the memory and other resources that this process can take from other
 * processes. */
static void limit(unsigned needs)
{
	const rlim_t most = needs & NEED_CLOCK ? LITTLE_MEMORY_MAX : MEMORY_MAX;
	const struct rlimit none = { 0, 0 }, memory = { most, most };

	/* sanitizers need threads, and address space without a limit */
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
	for (size_t i = 0; grants != NULL && i < grants->n; i++)
		if (grants->list[i].use == GRANT_FOLDER)
			private_forget_recordings(grants->list[i].path);
	/* reads the time zone before the sandbox hides its file */
	tzset();
	limit(needs);
	err = enter_files(needs, grants);
	return err == 0 ? syscalls_confine(needs) : err;
}
