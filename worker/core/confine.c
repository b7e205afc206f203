/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/confine.h"

#include "proto/ipc/contract.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int close_strangers(void)
{
	if (close_range(WORKER_CHANNEL_FD + 1, UINT_MAX, 0) < 0)
		return -errno;
	return 0;
}

/* Nothing that is started from here may have capabilities.  Taking them out
 * of the bounding set is itself a privilege: without it they are not there. */
static int drop_inheritance(void)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -errno;
	for (unsigned long cap = 0; cap < 64; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL) /* past the last the kernel knows */
			return 0;
		if (errno != EPERM)
			return -errno;
	}
	return 0;
}

static int drop_capabilities(uint64_t keep)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[2];

	if (syscall(SYS_capget, &head, caps) < 0)
		return -errno;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t mask = (uint32_t)(keep >> (32 * i));

		caps[i].permitted &= mask;
		caps[i].effective = caps[i].permitted;
		caps[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, caps) < 0 ? -errno : 0;
}

/* The master may be protected from the OOM killer; a worker that leaks is what
 * should go first.  Raising the value takes no privilege. */
static int unprotect_from_oom(void)
{
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	char text[16] = "";
	int err = 0;

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof text - 1) > 0 && text[0] == '-' &&
	    pwrite(fd, "0", 1, 0) < 0)
		err = -errno;
	(void)close(fd);
	return err;
}

static void raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int confine(uint64_t keep)
{
	int err;

	/* The channel's end stops a worker; this one also reaches one that
	 * hangs when the master dies.  Where a service manager keeps our
	 * channel for the next master, that one ends who hangs. */
	if (getenv("FDSTORE") == NULL)
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	raise_files();

	err = unprotect_from_oom();
	if (err == 0)
		err = close_strangers();
	if (err == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		err = -errno;
	if (err == 0)
		err = drop_inheritance();
	if (err == 0)
		err = drop_capabilities(keep);
	return err;
}

int confine_further(void)
{
	return drop_capabilities(0);
}
