/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/confine.h"

#include "common/base/process.h"
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

/* Makes children of this process start without capabilities.  The kernel
 * returns EPERM if the process itself has none. */
static int drop_inheritance(void)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -errno;
	for (unsigned long cap = 0; cap < 64; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL) /* cap is above the last capability */
			return 0;
		if (errno != EPERM)
			return -errno;
	}
	return 0;
}

int drop_capabilities(uint64_t keep)
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

/* Lets the OOM killer end this process before the master, which may be
 * protected from it.  Raising the value takes no privilege.  0 or -errno. */
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

int confine(uint64_t keep)
{
	struct rlimit files;
	int err;

	/* The end of the channel stops a worker; the signal also ends a worker
	 * that hangs.  With a descriptor store workers outlive the master, and
	 * the next master ends those that hang. */
	if (getenv("FDSTORE") == NULL)
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	err = unprotect_from_oom();
	/* not before unprotect_from_oom(), because it makes the files in
	 * /proc/self belong to root */
	if (err == 0)
		err = process_shield();
	if (err == 0 && close_range(WORKER_CHANNEL_FD + 1, UINT_MAX, 0) < 0)
		err = -errno;
	if (err == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		err = -errno;
	if (err == 0)
		err = drop_inheritance();
	if (err == 0)
		err = drop_capabilities(keep);
	return err;
}
