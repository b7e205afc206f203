/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/http/static_folder.h"

#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int static_folder_read(const char *folder, const char *name, struct buf *ret)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), fd, r = 0;
	struct stat st;

	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
	if (fd < 0)
		fd = -errno;
	fd_close(&dir);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode))
		r = -ENOENT;
	else
		r = fd_read_all(fd, STATIC_FOLDER_FILE_MAX, ret);
	fd_close(&fd);
	if (r < 0)
		buf_done(ret);
	return r;
}
