/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/lock.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

static int open_lock(const char *path)
{
	/* a link and the file that it names are one configuration */
	char *real = realpath(path, NULL);
	char *name = xasprintf("%s.lock", real != NULL ? real : path);
	/* to be locked by whoever can read the folder */
	int fd = open(name, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	int err = fd < 0 ? -errno : fd;

	free(name);
	free(real);
	return err;
}

int config_lock(const char *path, struct errmsg *why)
{
	int fd = open_lock(path);
	int err;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	err = fd < 0 ? fd : -errno;
	fd_close(&fd);
	if (err == -EWOULDBLOCK)
		return errmsg_fail(why, err, "%s is in use by another sluice",
				   path);
	return errmsg_fail(why, err, "%s.lock: %s: another sluice with the "
			   "same configuration would go unnoticed", path,
			   strerror(-err));
}
