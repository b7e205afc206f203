/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_CHUNK = 256 * 1024 };

void fd_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

int fd_hold_stdio(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -errno;
	(void)close(fd);
	return 0;
}

int fd_read_all(int fd, size_t max, struct buf *to)
{
	for (;;) {
		ssize_t n = read(fd, buf_reserve(to, READ_CHUNK), READ_CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		buf_added(to, (size_t)n);
		if (buf_len(to) > max)
			return -EFBIG;
	}
}

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len > 0) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int fd_set_nonblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

int fd_set_option(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof value) < 0 ? -errno
								       : 0;
}

ssize_t fd_discard(int fd, size_t max)
{
	/* with MSG_TRUNC recv() needs no memory, but only for TCP sockets */
	char scratch[16384];
	size_t total = 0;
	ssize_t n;

	do {
		n = recv(fd, scratch, MIN(sizeof scratch, max - total),
			 MSG_DONTWAIT);
		total += n > 0 ? (size_t)n : 0;
	} while (n == (ssize_t)sizeof scratch && total < max);
	if (total > 0)
		return (ssize_t)total;
	return n < 0 ? -errno : 0;
}

bool fd_begins_tls(int fd)
{
	/* RFC 8446 5.1; no HTTP method begins with this byte */
	enum { HANDSHAKE = 0x16 };
	unsigned char first;

	return recv(fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) == 1 &&
	       first == HANDSHAKE;
}

int fd_stream_pair(int ret_fds[2], int buffer)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
		       fds) < 0)
		return -errno;
	for (size_t i = 0; i < 2; i++) {
		(void)setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &buffer,
				 sizeof buffer);
		ret_fds[i] = fds[i];
	}
	return 0;
}

int fd_seqpacket_pair(int ret_fds[2])
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
		       0, fds) < 0)
		return -errno;
	ret_fds[0] = fds[0];
	ret_fds[1] = fds[1];
	return 0;
}

bool fd_is_seqpacket(int fd)
{
	int domain = 0, type = 0;
	socklen_t len = sizeof type;

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	       domain == AF_UNIX && type == SOCK_SEQPACKET;
}

int fd_reopen_readonly(int fd)
{
	char path[32];
	int copy;

	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	copy = open(path, O_RDONLY | O_CLOEXEC);
	return copy < 0 ? -errno : copy;
}

bool fd_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}
