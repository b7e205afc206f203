/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/hidden.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "proto/ipc/contract.h"
#include "worker/core/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

bool hidden_by_sandbox(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err = errno;
	bool opened = fd >= 0;

	fd_close(&fd);
	return !opened && err == EACCES && hidden_when_refused(path, R_OK);
}

bool hidden_when_refused(const char *path, int mode)
{
	/* faccessat() checks only the permissions, not the sandbox; no process
	 * has a rule for the private key */
	if (private_is_key(path) ||
	    faccessat(AT_FDCWD, path, mode, AT_EACCESS) < 0)
		return false;
	if (!hidden_waits())
		(void)kill(getpid(), HIDDEN_SIGNAL);
	return true;
}

bool hidden_waits(void)
{
	const char *until_ms = getenv(WORKER_RENEW_VARIABLE);

	return until_ms != NULL && mono_ms() < strtoull(until_ms, NULL, 10);
}

bool hidden_names(void)
{
	static const char *const files[] = { "/etc/resolv.conf",
					     "/etc/hosts" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		if (!hidden_by_sandbox(files[i]))
			continue;
		if (!hidden_waits())
			log_info("worker", "%s was created or replaced after "
				 "the start of this worker: a new worker will "
				 "read it", files[i]);
		return true;
	}
	return false;
}
