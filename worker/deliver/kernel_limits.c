/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/kernel_limits.h"

#include "common/base/util.h"

#include <stdio.h>
#include <sys/resource.h>

enum {
	/* rings, listeners, the channel, the loop */
	RESERVED_SHARE = 4,
	MAX_CONNS = 65536,
	/* tcp(7) */
	SNDBUF_MAX = 4 << 20,
	RCVBUF_MAX = 6 << 20,
};

unsigned kernel_max_conns(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		files.rlim_cur = 1024; /* what it is nearly everywhere */
	return (unsigned)MIN(files.rlim_cur - files.rlim_cur / RESERVED_SHARE,
			     (rlim_t)MAX_CONNS);
}

/* The third of the three numbers of tcp_rmem and tcp_wmem. */
static uint64_t read_max(const char *path, uint64_t otherwise)
{
	FILE *file = fopen(path, "re");
	unsigned long low, usual, high;

	if (file == NULL)
		return otherwise;
	if (fscanf(file, "%lu %lu %lu", &low, &usual, &high) == 3)
		otherwise = high;
	(void)fclose(file);
	return otherwise;
}

void kernel_socket_buffers(struct lag_kernel *ret)
{
	ret->sndbuf_max = read_max("/proc/sys/net/ipv4/tcp_wmem", SNDBUF_MAX);
	ret->rcvbuf_max = read_max("/proc/sys/net/ipv4/tcp_rmem", RCVBUF_MAX);
}
