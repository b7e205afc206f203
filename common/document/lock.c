/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/lock.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

int config_lock(const char *path, struct errmsg *error)
{
	/* a link and the file that it names are one configuration */
	char *real = realpath(path, NULL);
	char *name = xasprintf("%s.lock", real != NULL ? real : path);
	int fd = open(name, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int err;

	/* flock() needs read permission only: another user with this permission
	 * could take the lock and prevent the start.  The mode of a file of
	 * another owner stays unchanged. */
	if (fd >= 0)
		(void)fchmod(fd, 0600);
	err = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;

	free(name);
	free(real);
	if (err == 0)
		return fd;
	fd_close(&fd);
	if (err == -EWOULDBLOCK)
		return errmsg_fail(error, err, "%s is in use by another sluice",
				   path);
	return errmsg_fail(error, err, "%s.lock: cannot be locked: %s: a "
				       "second sluice with the same "
				       "configuration would not be noticed",
			   path,
			   strerror(-err));
}
