/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/sandbox_check.h"

#include "common/base/landlock.h"
#include "common/base/log.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

int sandbox_check(bool required)
{
	void (*report)(const char *component, const char *format, ...) =
		required ? log_error : log_warning;
	const uint32_t action = SECCOMP_RET_TRAP;
	bool files = landlock_version() > 0;
	bool calls = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0,
			     &action) == 0;

	if (!files)
		report("master", "this kernel has no Landlock: a worker that "
		       "an attacker controls can open every file of %s",
		       geteuid() == 0 ? "this machine, because the service "
					"runs as root (--user)"
				      : "the service");
	if (!calls)
		report("master", "this kernel does not filter system calls: "
		       "workers cannot start");
	return required && !(files && calls) ? -ENOSYS : 0;
}
