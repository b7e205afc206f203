/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/shared.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SIZE_SEALS = F_SEAL_SHRINK | F_SEAL_GROW,
	BLOCK = 512, /* unit of st_blocks */
	LIST_STEP = 64,
};

int shared_create(const char *name, size_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	/* a process with a read-only descriptor must not open the file again
	 * for writing (/proc/self/fd) */
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

struct file {
	ino_t inode;
	blkcnt_t blocks;
};

static int by_inode(const void *a, const void *b)
{
	ino_t left = ((const struct file *)a)->inode;
	ino_t right = ((const struct file *)b)->inode;

	return (left > right) - (left < right);
}

uint64_t shared_bytes(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int memfd = memfd_create("device", MFD_CLOEXEC);
	dev_t device = 0;
	uint64_t blocks = 0;
	struct file *list = NULL;
	size_t n_list = 0;
	struct stat st = { 0 };

	/* the device number of memfds distinguishes them from files of other
	 * tmpfs, which may have seals, too */
	if (memfd >= 0) {
		(void)fstat(memfd, &st);
		fd_close(&memfd);
		device = st.st_dev;
	}
	for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
		if (e->d_name[0] == '.' ||
		    fstat((int)strtol(e->d_name, NULL, 10), &st) < 0 ||
		    st.st_dev != device)
			continue;
		if (n_list % LIST_STEP == 0)
			list = xrealloc(list, (n_list + LIST_STEP) *
						      sizeof *list);
		list[n_list++] = (struct file){ st.st_ino, st.st_blocks };
	}
	if (dir != NULL)
		(void)closedir(dir);
	if (n_list > 0)
		qsort(list, n_list, sizeof *list, by_inode);
	for (size_t i = 0; i < n_list; i++)
		if (i == 0 || list[i].inode != list[i - 1].inode)
			blocks += (uint64_t)list[i].blocks;
	free(list);
	return blocks * BLOCK;
}

int shared_release(int fd, size_t offset, size_t len)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)offset, (off_t)len) < 0 ? -errno : 0;
}

void *shared_map(int fd, size_t len, int *ret_err)
{
	return shared_map_at(fd, 0, len, ret_err);
}

void *shared_map_at(int fd, size_t offset, size_t len, int *ret_err)
{
	ssize_t size = shared_size(fd);
	void *map;

	if (size < 0 || (size_t)size < len || (size_t)size - len < offset) {
		*ret_err = size < 0 ? (int)size : -EBADF;
		return NULL;
	}
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   (off_t)offset);
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
