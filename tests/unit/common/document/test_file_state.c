/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/file_state.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/file-state-XXXXXX";

/* A file of one byte. */
static void set_up(struct file_state *f)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, "x", 1), 1);
	cr_assert_eq(close(fd), 0);
	file_state_read(f, path);
	cr_assert(file_state_is(f, path));
}

Test(file_state, tells_a_change_of_the_size)
{
	struct file_state f;

	set_up(&f);
	cr_assert_eq(truncate(path, 2), 0);
	cr_assert_not(file_state_is(&f, path));
	cr_assert_eq(unlink(path), 0);
}

Test(file_state, tells_a_change_whose_mtime_was_set_back)
{
	struct file_state f;
	struct stat then, now;

	set_up(&f);
	cr_assert_eq(stat(path, &then), 0);
	do { /* the clock of the file system may still show the same time */
		cr_assert_eq(utimensat(AT_FDCWD, path, (struct timespec[]){
			then.st_atim, then.st_mtim }, 0), 0);
		cr_assert_eq(stat(path, &now), 0);
	} while (now.st_ctim.tv_sec == then.st_ctim.tv_sec &&
		 now.st_ctim.tv_nsec == then.st_ctim.tv_nsec);
	cr_assert_eq(now.st_mtim.tv_nsec, then.st_mtim.tv_nsec);
	cr_assert_not(file_state_is(&f, path));
	cr_assert_eq(unlink(path), 0);
}

Test(file_state, tells_a_file_that_was_put_in_its_place)
{
	char other[sizeof path + 2];
	struct file_state f;
	int fd;

	set_up(&f);
	(void)snprintf(other, sizeof other, "%s.n", path);
	fd = open(other, O_WRONLY | O_CREAT | O_EXCL, 0600);
	cr_assert_eq(write(fd, "x", 1), 1);
	cr_assert_eq(close(fd), 0);
	cr_assert_eq(rename(other, path), 0);
	cr_assert_not(file_state_is(&f, path));
	cr_assert_eq(unlink(path), 0);
}

Test(file_state, tells_that_a_file_came_or_went)
{
	struct file_state f, none;

	file_state_read(&none, NULL);
	cr_assert(file_state_is(&none, NULL));
	set_up(&f);
	cr_assert_not(file_state_is(&none, path));
	cr_assert_eq(unlink(path), 0);
	cr_assert_not(file_state_is(&f, path));
	cr_assert(file_state_is(&none, path));
}
