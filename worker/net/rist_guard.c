/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist_guard.h"

#include "worker/net/rist_filter.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

/* Of datagrams; those who look for a name are connected. */
static bool may_be_its(int fd)
{
	struct sockaddr_storage peer;
	socklen_t peer_len = sizeof peer, len = sizeof(int);
	int type;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0)
		return false;
	return type == SOCK_DGRAM &&
	       getpeername(fd, (struct sockaddr *)&peer, &peer_len) < 0;
}

void rist_guard_look(struct rist_guard *g)
{
	memset(g->before, 0, sizeof g->before);
	for (int fd = 0; fd < RIST_GUARD_FDS_MAX; fd++)
		if (may_be_its(fd))
			g->before[fd / 64] |= UINT64_C(1) << fd % 64;
}

static void empty(int fd)
{
	char byte;

	for (int i = 0; i < RIST_GUARD_FDS_MAX; i++)
		if (recv(fd, &byte, sizeof byte, MSG_DONTWAIT) < 0)
			return;
}

/* When what was read last came; 0: nothing was. */
static uint64_t last_read(int fd)
{
	struct timespec at;

	if (ioctl(fd, SIOCGSTAMPNS, &at) < 0)
		return 0;
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static int attach(struct rist_guard *g, int fd, struct rist_filter *filter,
		  size_t way, struct errmsg *why)
{
	struct sock_fprog program = {
		.len = (unsigned short)filter->n,
		.filter = filter->code,
	};

	if (g->n == RIST_GUARD_SOCKETS_MAX)
		return 0; /* it is none of librist's */
	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
		       sizeof program) < 0)
		return errmsg_fail(why, -errno, "rist: no filter: %s",
				   strerror(errno));
	empty(fd);
	g->dropped[g->n] = 0;
	g->read_ns[g->n] = last_read(fd);
	g->way[g->n] = (uint8_t)way;
	g->sockets[g->n++] = fd;
	return 0;
}

static unsigned flags_of(const struct rist_spec *spec, bool receives)
{
	bool listens = true;
	unsigned flags = 0;

	for (size_t i = 0; i < spec->n_peers; i++)
		listens = listens && spec->peers[i].listens;
	if (spec->profile == RIST_SIMPLE)
		flags |= RIST_FILTER_SIMPLE;
	if (spec->secret[0] != '\0')
		flags |= RIST_FILTER_SECRET;
	if (receives && listens)
		flags |= RIST_FILTER_PAIR;
	return flags;
}

int rist_guard_take(struct rist_guard *g, const struct rist_spec *spec,
		    bool receives, size_t way, struct errmsg *why)
{
	struct rist_filter filter;
	int r = 0;

	rist_filter_make(&filter, flags_of(spec, receives));
	for (int fd = 0; fd < RIST_GUARD_FDS_MAX && r == 0; fd++)
		if ((g->before[fd / 64] >> fd % 64 & 1) == 0 && may_be_its(fd))
			r = attach(g, fd, &filter, way, why);
	return r;
}

unsigned rist_guard_count(struct rist_guard *g)
{
	uint32_t info[SK_MEMINFO_VARS], sum = 0;

	for (size_t i = 0; i < g->n; i++) {
		socklen_t len = sizeof info;

		if (getsockopt(g->sockets[i], SOL_SOCKET, SO_MEMINFO, info,
			       &len) < 0 || len < sizeof info)
			continue;
		sum += info[SK_MEMINFO_DROPS] - g->dropped[i];
		g->dropped[i] = info[SK_MEMINFO_DROPS];
	}
	return sum;
}

unsigned rist_guard_heard(struct rist_guard *g)
{
	unsigned heard = 0;

	for (size_t i = 0; i < g->n; i++) {
		uint64_t read_ns = last_read(g->sockets[i]);

		if (read_ns != g->read_ns[i])
			heard |= 1u << g->way[i];
		g->read_ns[i] = read_ns;
	}
	return heard;
}
