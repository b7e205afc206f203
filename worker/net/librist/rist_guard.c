/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_guard.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/wall.h"
#include "worker/net/librist/rist_filter.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

/* Another processor may run the previous filter for so long after it was
 * replaced. */
#define SETTLED_NS (100 * MS)
/* shortest interval between two new filters */
#define FILTERS_NS (10 * MS)
/* A source without a peer for so long has most probably ceased to send. */
#define UNUSED_NS (30 * SECOND_NS)
/* If the offset between the two clocks changes by more than this, the wall
 * clock was set. */
#define SET_NS ((int64_t)(10 * MS))
/* If two clock readings are further apart than this, the thread was interrupted
 * between them, and they are repeated. */
#define NEAR_NS MS
enum { LOOKS_MAX = 8 };

/* Can the descriptor be a socket of librist: a UDP socket that is not
 * connected?  The sockets of name resolution are connected. */
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

/* Bits of 64 descriptors: which are open?  poll() tells it of all at once. */
static uint64_t which_are_open(int first)
{
	struct pollfd fds[64];
	uint64_t open = 0;

	for (int i = 0; i < 64; i++)
		fds[i] = (struct pollfd){ .fd = first + i };
	while (poll(fds, 64, 0) < 0)
		if (errno != EINTR)
			return UINT64_MAX;
	for (int i = 0; i < 64; i++)
		if ((fds[i].revents & POLLNVAL) == 0)
			open |= UINT64_C(1) << i;
	return open;
}

/* Bits of 64 descriptors: which can be sockets of librist? */
static uint64_t which_may_be_its(int first)
{
	uint64_t its = which_are_open(first);

	for (int i = 0; i < 64; i++)
		if ((its >> i & 1) != 0 && !may_be_its(first + i))
			its &= ~(UINT64_C(1) << i);
	return its;
}

void rist_guard_before_peer(struct rist_guard *g)
{
	for (int i = 0; i < RIST_GUARD_FDS_MAX / 64; i++)
		g->before[i] = which_may_be_its(64 * i);
}

/* The kernel's time stamp of the last datagram that was read; 0: none. */
static uint64_t last_read(int fd)
{
	struct timespec at;

	if (ioctl(fd, SIOCGSTAMPNS, &at) < 0)
		return 0;
	return timespec_ns(&at);
}

static int attach(int fd, struct rist_filter *filter)
{
	struct sock_fprog program = {
		.len = (unsigned short)filter->n,
		.filter = filter->code,
	};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
			  sizeof program) < 0
		       ? -errno
		       : 0;
}

static int guard(struct rist_guard *g, int fd, struct rist_filter *filter,
		 size_t path, struct errmsg *error)
{
	struct sockaddr_any at = { .len = sizeof at.in6 };
	char byte;
	int r;

	if (g->n == RIST_GUARD_SOCKETS_MAX)
		return 0; /* librist has no more sockets than this, so fd is
			   * not one of them */
	r = attach(fd, filter);
	if (r < 0)
		return errmsg_fail(error, r, "rist: socket filter: %s",
				   strerror(-r));
	/* drops the datagrams that arrived before the filter */
	for (int i = 0; i < RIST_GUARD_FDS_MAX; i++)
		if (recv(fd, &byte, sizeof byte, MSG_DONTWAIT) < 0)
			break;
	g->odd[g->n] = getsockname(fd, &at.sa, &at.len) == 0 &&
		       sockaddr_port(&at) % 2 != 0;
	g->dropped[g->n] = 0;
	g->read_ns[g->n] = last_read(fd);
	g->path[g->n] = (uint8_t)path;
	g->sockets[g->n++] = fd;
	g->before[fd / 64] |= UINT64_C(1) << fd % 64;
	return 0;
}

int rist_guard_after_peer(struct rist_guard *g, const struct rist_spec *spec,
			  bool receives, size_t path, struct errmsg *error)
{
	struct rist_filter filter;
	bool listens = true;
	int r = 0;

	for (size_t i = 0; i < spec->n_peers; i++)
		listens = listens && spec->peers[i].listens;
	g->flags = 0;
	if (spec->profile == RIST_SIMPLE)
		g->flags |= RIST_FILTER_SIMPLE;
	if (spec->secret[0] != '\0')
		g->flags |= RIST_FILTER_SECRET;
	if (receives && listens)
		g->flags |= RIST_FILTER_PAIR;
	rist_filter_make(&filter, g->flags);
	for (int i = 0; i < RIST_GUARD_FDS_MAX / 64 && r == 0; i++) {
		uint64_t its = which_may_be_its(64 * i) & ~g->before[i];

		for (int bit = 0; bit < 64 && r == 0; bit++)
			if ((its >> bit & 1) != 0)
				r = guard(g, 64 * i + bit, &filter, path,
					  error);
	}
	return r;
}

unsigned rist_guard_take_dropped(struct rist_guard *g)
{
	uint32_t info[SK_MEMINFO_VARS], sum = 0;

	for (size_t i = 0; i < g->n; i++) {
		socklen_t len = sizeof info;

		if (getsockopt(g->sockets[i], SOL_SOCKET, SO_MEMINFO, info,
			       &len) < 0 || len < sizeof info)
			continue;
		g->drops[i] = info[SK_MEMINFO_DROPS] != g->dropped[i];
		sum += info[SK_MEMINFO_DROPS] - g->dropped[i];
		g->dropped[i] = info[SK_MEMINFO_DROPS];
	}
	return sum;
}

unsigned rist_guard_active_paths(struct rist_guard *g)
{
	unsigned active = 0;

	for (size_t i = 0; i < g->n; i++) {
		uint64_t read_ns = last_read(g->sockets[i]);

		g->is_read[i] = read_ns != g->read_ns[i];
		if (g->is_read[i])
			active |= 1u << g->path[i];
		g->read_ns[i] = read_ns;
	}
	return active;
}

bool rist_guard_lacks_data(const struct rist_guard *g)
{
	bool reports = false, dropped = false;

	if ((g->flags & RIST_FILTER_SIMPLE) == 0 ||
	    (g->flags & RIST_FILTER_PAIR) == 0)
		return false;
	for (size_t i = 0; i < g->n; i++) {
		if (!g->odd[i] && g->is_read[i])
			return false;
		reports = reports || (g->odd[i] && g->is_read[i]);
		dropped = dropped || (!g->odd[i] && g->drops[i]);
	}
	return reports && dropped;
}

/* --- in librist's threads --- */

/* The offset of the wall clock, which stamps datagrams, to the monotonic clock.
 * It changes only when the wall clock is set. */
static int64_t stamps_ahead_ns(void)
{
	uint64_t nearest_ns = UINT64_MAX;
	int64_t ahead_ns = 0;

	for (int i = 0; i < LOOKS_MAX && nearest_ns > NEAR_NS; i++) {
		uint64_t before = mono_ns(), wall = wall_ns();
		uint64_t passed_ns = mono_ns() - before;

		if (passed_ns > nearest_ns)
			continue;
		nearest_ns = passed_ns;
		ahead_ns = (int64_t)wall - (int64_t)before;
	}
	return ahead_ns;
}

/* Makes the even (odd) ports drop the datagrams of all sources that send to odd
 * (even) ports. */
static bool refuse(const struct rist_guard *g, bool odd)
{
	struct rist_filter filter;

	rist_filter_make(&filter, g->flags);
	for (size_t i = 0; i < g->sources.n; i++)
		if (g->sources.list[i].odd == odd)
			rist_filter_refuse(&filter, &g->sources.list[i].at);
	for (size_t i = 0; i < g->n; i++)
		if (g->odd[i] != odd && attach(g->sockets[i], &filter) < 0)
			return false;
	return true;
}

/* Ends the refusal of removed sources.  If this fails, the filter of the next
 * source of that kind replaces the old one. */
static void end_refusal(const struct rist_guard *g, unsigned kinds)
{
	if ((kinds & RIST_SOURCE_EVEN) != 0)
		(void)refuse(g, false);
	if ((kinds & RIST_SOURCE_ODD) != 0)
		(void)refuse(g, true);
}

static void begin(struct rist_guard *g, struct rist_source *s, uint64_t now)
{
	s->refused = refuse(g, s->odd);
	s->since_ns = now;
	s->ahead_ns = stamps_ahead_ns();
}

/* True if no datagram of this source can wait at the other kind of port:
 * librist has read all datagrams that arrived there before the filter was
 * used. */
static bool is_settled(struct rist_guard *g, struct rist_source *s,
		       uint64_t now)
{
	int64_t set_ns = stamps_ahead_ns() - s->ahead_ns;
	uint64_t since = s->since_ns + SETTLED_NS + (uint64_t)s->ahead_ns;

	/* after the wall clock was set, earlier time stamps cannot be
	 * compared */
	if (!s->refused || set_ns > SET_NS || set_ns < -SET_NS) {
		begin(g, s, now);
		return false;
	}
	if (now - s->since_ns < SETTLED_NS)
		return false;
	for (size_t i = 0; i < g->n; i++) {
		int waits = 0;

		if (g->odd[i] == s->odd || last_read(g->sockets[i]) > since)
			continue;
		if (ioctl(g->sockets[i], SIOCINQ, &waits) < 0 || waits > 0)
			return false;
	}
	return true;
}

bool rist_guard_admit(struct rist_guard *g, const struct sockaddr_any *at,
		      uint16_t local_port, const struct rist_peer *peer)
{
	bool odd = local_port % 2 != 0;
	uint64_t now = mono_ns();
	struct rist_source *s;

	if ((g->flags & RIST_FILTER_PAIR) == 0 ||
	    (g->flags & RIST_FILTER_SIMPLE) == 0)
		return true;
	s = rist_sources_find(&g->sources, at);
	if (s != NULL) {
		if (s->odd != odd || !is_settled(g, s, now))
			return false;
		s->peer = peer;
		return true;
	}
	/* limits the rate of new filters, because sources may come in a
	 * flood */
	if (now - g->refused_ns < FILTERS_NS)
		return false;
	g->refused_ns = now;
	end_refusal(g, rist_sources_expire(
			       &g->sources,
			       now > UNUSED_NS ? now - UNUSED_NS : 0));
	s = rist_sources_add(&g->sources, at, odd);
	if (s != NULL)
		begin(g, s, now);
	return false;
}

void rist_guard_peer_gone(struct rist_guard *g, const struct rist_peer *peer)
{
	end_refusal(g, rist_sources_remove(&g->sources, peer));
}
