/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes the filter from a UDP socket of another process: datagrams that it
 * drops arrive from then on.
 *
 *	bare-port PID PORT
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FDS_MAX = 1024 };

static int port_of(int fd)
{
	struct sockaddr_in at = { 0 };
	socklen_t len = sizeof at, type_len = sizeof(int);
	int type = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_len) < 0 ||
	    type != SOCK_DGRAM ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0 ||
	    at.sin_family != AF_INET)
		return -1;
	return ntohs(at.sin_port);
}

int main(int argc, char **argv)
{
	int process, port = argc == 3 ? atoi(argv[2]) : 0, found = 0;

	if (port <= 0)
		return 2;
	process = (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0);
	for (int i = 0; i < FDS_MAX; i++) {
		int fd = (int)syscall(SYS_pidfd_getfd, process, i, 0), on = 1;

		if (fd < 0)
			continue;
		if (port_of(fd) == port &&
		    setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &on,
			       sizeof on) == 0)
			found++;
		(void)close(fd);
	}
	return found == 1 ? 0 : 1;
}
