/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/file_budget.h"

#include "common/base/util.h"
#include "common/http/server.h"
#include "common/ws/hub.h"

#include <sys/resource.h>

enum {
	/* Descriptors that the master needs for a stream: channel, pidfd,
	 * memory, ring (two), listening socket. */
	PER_STREAM = 6,
	/* Descriptors for everything else: stdio, loop, listeners, saves, the
	 * other workers. */
	RESERVED = 64,
	USUAL_LIMIT = 1024,
};

void file_budget_divide(uint64_t limit, struct file_budget *ret)
{
	uint64_t clients;

	ret->control = (unsigned)MIN(limit / 4, (uint64_t)HTTP_CONNECTIONS_MAX);
	ret->events = (unsigned)MIN(limit / 8, (uint64_t)HUB_CLIENTS_MAX);
	clients = (uint64_t)ret->control + ret->events + RESERVED;
	limit = MIN(limit, (uint64_t)INT32_MAX);
	ret->streams = limit > clients
			       ? (unsigned)((limit - clients) / PER_STREAM)
			       : 0;
}

void file_budget_now(struct file_budget *ret)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		files.rlim_cur = USUAL_LIMIT;
	file_budget_divide(files.rlim_cur, ret);
}
