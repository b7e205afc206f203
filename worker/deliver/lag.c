/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/lag.h"

#include "common/base/util.h"

#include <stdio.h>

/* Defaults of the kernel for the largest buffers, in bytes: tcp(7). */
enum { SNDBUF_MAX = 4 << 20, RCVBUF_MAX = 6 << 20 };

/* The maximum buffer size in tcp_rmem or tcp_wmem, the last of its three
 * numbers; `otherwise' if it cannot be read. */
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

void lag_kernel_read(struct lag_kernel *ret)
{
	ret->sndbuf_max = read_max("/proc/sys/net/ipv4/tcp_wmem", SNDBUF_MAX);
	ret->rcvbuf_max = read_max("/proc/sys/net/ipv4/tcp_rmem", RCVBUF_MAX);
}

void lag_init(struct lag *lag, uint64_t size, uint64_t rate,
	      const struct lag_kernel *kernel)
{
	/* a second of the stream: the writer must not write more between two
	 * passes over the viewers, even if this process is delayed */
	uint64_t margin = MIN(MAX(rate, size / 16), size / 4);
	uint64_t hold = MIN(kernel->rcvbuf_max, (size - margin) / 2);
	/* the smallest value that limit has at any rate */
	uint64_t floor = (size - size / 4) / 2;

	lag->size = size;
	lag->limit = size - margin - hold;
	lag->start_max = lag->limit / 4 * 3;
	lag->ask_above = lag->limit / 4;
	/* the queue must fit between ask_above and limit; the kernel doubles
	 * the value (socket(7)) */
	lag->sndbuf = 0;
	if (kernel->sndbuf_max > floor / 4 * 3)
		lag->sndbuf = floor / 8 * 3;
}

enum lag_verdict lag_judge(const struct lag *lag, uint64_t behind,
			   uint64_t queued)
{
	if (behind <= lag->ask_above || behind + queued <= lag->limit)
		return LAG_FINE;
	return queued == 0 ? LAG_LATE : LAG_SLOW;
}
