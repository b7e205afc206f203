/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/hidden.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/util.h"
#include "worker/core/private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

bool hidden_by_sandbox(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err = errno;

	fd_close(&fd);
	/* access() asks the permissions alone; the key has a rule in no
	 * process */
	if (fd >= 0 || err != EACCES || private_is_key(path) ||
	    faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0)
		return false;
	(void)kill(getpid(), SIGTERM);
	return true;
}

bool hidden_names(void)
{
	static const char *const files[] = { "/etc/resolv.conf",
					     "/etc/hosts" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		if (!hidden_by_sandbox(files[i]))
			continue;
		log_info("worker", "%s is new since the start of the process, "
			 "which is replaced", files[i]);
		return true;
	}
	return false;
}
