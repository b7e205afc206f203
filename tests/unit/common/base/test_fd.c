/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_null(int fd)
{
	struct stat null, st;

	return stat("/dev/null", &null) == 0 && fstat(fd, &st) == 0 &&
	       st.st_rdev == null.st_rdev && S_ISCHR(st.st_mode);
}

Test(fd, nothing_is_opened_in_the_place_of_stdio)
{
	int fds[2];

	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(dup2(fds[1], STDOUT_FILENO), STDOUT_FILENO);
	(void)close(STDIN_FILENO);
	(void)close(STDERR_FILENO);
	cr_assert_eq(fd_hold_stdio(), 0);
	cr_assert(is_null(STDIN_FILENO));
	cr_assert(is_null(STDERR_FILENO));
	/* other descriptors stay open */
	cr_assert_not(is_null(STDOUT_FILENO));
	/* and nothing more is held */
	fds[0] = dup(fds[1]);
	(void)close(fds[0]);
	cr_assert_eq(fd_hold_stdio(), 0);
	fds[1] = dup(fds[1]);
	cr_assert_eq(fds[0], fds[1]);
}

Test(fd, data_in_a_socket_is_discarded_without_waiting)
{
	static const char bytes[40000];
	int fds[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	cr_assert_eq(fd_discard(fds[0], 100), -EAGAIN);
	cr_assert_eq(write(fds[1], bytes, sizeof bytes), sizeof bytes);
	cr_assert_eq(fd_discard(fds[0], 100), 100);
	cr_assert_eq(fd_discard(fds[0], 20000), 20000);
	(void)close(fds[1]);
	cr_assert_eq(fd_discard(fds[0], 1 << 20), sizeof bytes - 20100);
	cr_assert_eq(fd_discard(fds[0], 1 << 20), 0);
}
