/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/shared.h"

#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE_SEALS = F_SEAL_SHRINK | F_SEAL_GROW };

int shared_create(const char *name, size_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	/* who has it to read must not open it again to write (/proc/self/fd) */
	if (fchmod(fd, 0400) < 0 || ftruncate(fd, (off_t)size) < 0 ||
	    fcntl(fd, F_ADD_SEALS, SIZE_SEALS | F_SEAL_SEAL) < 0) {
		int err = -errno;

		fd_close(&fd);
		return err;
	}
	return fd;
}

ssize_t shared_size(int fd)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || fstat(fd, &st) < 0)
		return -errno;
	if ((seals & SIZE_SEALS) != SIZE_SEALS)
		return -EBADF;
	return (ssize_t)st.st_size;
}

bool shared_is_untouched(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_blocks == 0;
}

int shared_release(int fd, size_t offset, size_t len)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)offset, (off_t)len) < 0 ? -errno : 0;
}

void *shared_map(int fd, size_t len, int *ret_err)
{
	ssize_t size = shared_size(fd);
	void *map;

	if (size < 0 || (size_t)size < len) {
		*ret_err = size < 0 ? (int)size : -EBADF;
		return NULL;
	}
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		*ret_err = -errno;
		return NULL;
	}
	return map;
}

void shared_unmap(void *map, size_t len)
{
	if (map != NULL)
		(void)munmap(map, len);
}
