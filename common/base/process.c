/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/process.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int process_shield(void)
{
	(void)signal(SIGIO, SIG_IGN);
	if (setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }) < 0 ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -errno;
	return 0;
}
