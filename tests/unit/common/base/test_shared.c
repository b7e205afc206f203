/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/shared.h"

#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 8192 };

Test(shared, is_zeroed_and_the_same_in_every_mapping)
{
	int err = 0, fd = shared_create("test", SIZE);
	uint8_t *one, *two;

	cr_assert_geq(fd, 0);
	cr_assert_eq(shared_size(fd), SIZE);
	cr_assert(shared_is_untouched(fd));
	one = shared_map(fd, SIZE, &err);
	two = shared_map(fd, SIZE / 2, &err);
	cr_assert_not_null(one);
	cr_assert_not_null(two);
	for (size_t i = 0; i < SIZE; i++)
		cr_assert_eq(one[i], 0);
	one[17] = 5;
	cr_assert_eq(two[17], 5);
	cr_assert_not(shared_is_untouched(fd));
	shared_unmap(one, SIZE);
	shared_unmap(two, SIZE / 2);
	fd_close(&fd);
}

Test(shared, its_size_cannot_change)
{
	int fd = shared_create("test", SIZE);

	cr_assert_eq(ftruncate(fd, 100), -1);
	cr_assert_eq(ftruncate(fd, 2 * SIZE), -1);
	cr_assert_eq(shared_size(fd), SIZE);
	fd_close(&fd);
}

Test(shared, released_pages_are_zero_and_take_no_memory)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 4 * page;
	int err = 0, fd = shared_create("test", size);
	struct stat st;
	uint8_t *map = shared_map(fd, size, &err);

	cr_assert_not_null(map);
	memset(map, 7, size);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_assert_eq((size_t)st.st_blocks * 512, size);
	cr_assert_eq(shared_release(fd, page, size - page), 0);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_assert_eq((size_t)st.st_blocks * 512, page);
	cr_assert_eq(shared_size(fd), (ssize_t)size);
	cr_assert_eq(map[page - 1], 7);
	for (size_t i = page; i < size; i++)
		cr_assert_eq(map[i], 0);
	shared_unmap(map, size);
	fd_close(&fd);
	cr_assert_eq(shared_release(fd, 0, page), -EBADF);
}

Test(shared, pages_in_use_count_once)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 4 * page;
	uint64_t before = shared_bytes();
	int err = 0, one = shared_create("test", size);
	int two = shared_create("test", size), again = dup(one);
	uint8_t *map = shared_map(one, size, &err);

	cr_assert_not_null(map);
	memset(map, 7, 3 * page);
	cr_assert_eq(shared_bytes(), before + 3 * page);
	shared_unmap(map, size);
	fd_close(&one);
	cr_assert_eq(shared_bytes(), before + 3 * page);
	fd_close(&again);
	cr_assert_eq(shared_bytes(), before);
	fd_close(&two);
}

Test(shared, a_file_on_a_tmpfs_does_not_count)
{
	char name[] = "/dev/shm/test-XXXXXX", data[3] = { 0 };
	uint64_t before = shared_bytes();
	int fd = mkstemp(name);

	if (fd < 0 || unlink(name) < 0 ||
	    fcntl(fd, F_GET_SEALS) < 0)
		cr_skip_test("/dev/shm is no tmpfs");
	cr_assert_eq(write(fd, data, sizeof data), (ssize_t)sizeof data);
	cr_assert_eq(shared_bytes(), before);
	fd_close(&fd);
}

Test(shared, memory_that_is_too_short_or_not_sealed_is_rejected)
{
	int err = 0, fd = shared_create("test", SIZE);

	cr_assert_null(shared_map(fd, SIZE + 1, &err));
	cr_assert_eq(err, -EBADF);
	fd_close(&fd);

	fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	cr_assert_eq(ftruncate(fd, SIZE), 0);
	cr_assert_null(shared_map(fd, SIZE, &err));
	cr_assert_eq(err, -EBADF);
	fd_close(&fd);
	cr_assert_lt(shared_size(-1), 0);
}
