/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/sap_socket.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "proto/spec/io_spec.h"
#include "worker/socket/receive_socket.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	IFACES_MAX = 16,
	READS_MAX = 16,   /* of one socket at a time */
	SOCKET_SIZE = 128 * 1024,
	PACKET_MAX = 65536,
};

/* RFC 2974 3: the one for all the world, the highest address of each scope of
 * IPv4, and the same number in each scope of IPv6. */
static const char *const groups[] = {
	"224.2.127.254", "239.255.255.255", "239.195.255.255",
	"ff02::2:7ffe", "ff05::2:7ffe", "ff08::2:7ffe", "ff0e::2:7ffe",
};

/* One interface. */
struct ear {
	char iface[16];
	unsigned ifindex;          /* 0: free */
	bool seen;                 /* when the interfaces were looked at */
	int fds[ARRAY_LEN(groups)]; /* or -1 */
};

struct ears {
	struct ear list[IFACES_MAX];
	uint8_t packet[PACKET_MAX];
};

static void close_ear(struct ear *e)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (e->fds[i] >= 0)
			fd_close(&e->fds[i]);
	e->ifindex = 0;
}

struct ears *ears_new(void)
{
	struct ears *e = xcalloc(1, sizeof *e);

	for (size_t i = 0; i < IFACES_MAX; i++)
		for (size_t k = 0; k < ARRAY_LEN(groups); k++)
			e->list[i].fds[k] = -1;
	return e;
}

void ears_free(struct ears **ep)
{
	struct ears *e = *ep;

	*ep = NULL;
	if (e == NULL)
		return;
	for (size_t i = 0; i < IFACES_MAX; i++)
		close_ear(&e->list[i]);
	free(e);
}

/* One that cannot be had (no IPv6, say) is tried again at the next look. */
static void open_fd(struct ear *e, size_t group)
{
	struct udp_place place = { .socket_size = SOCKET_SIZE };
	int each = 0;

	if (e->fds[group] >= 0)
		return;
	(void)snprintf(place.iface, sizeof place.iface, "%s", e->iface);
	if (sockaddr_parse(groups[group], SAP_PORT, &place.local) < 0)
		return;
	e->fds[group] = udp_socket_open(&place, e->ifindex, NULL);
	if (e->fds[group] < 0) {
		e->fds[group] = -1;
		return;
	}
	/* packets one by one: each has a sender of its own */
	(void)setsockopt(e->fds[group], SOL_UDP, UDP_GRO, &each, sizeof each);
}

static struct ear *find(struct ears *e, const char *iface, unsigned ifindex)
{
	struct ear *free_one = NULL;

	for (size_t i = 0; i < IFACES_MAX; i++) {
		struct ear *ear = &e->list[i];

		if (ear->ifindex == ifindex && strcmp(ear->iface, iface) == 0)
			return ear;
		if (ear->ifindex == 0 && free_one == NULL)
			free_one = ear;
	}
	return free_one;
}

static void look_at(struct ears *e, const struct ifaddrs *a)
{
	const unsigned wanted = IFF_UP | IFF_MULTICAST;
	unsigned ifindex = if_nametoindex(a->ifa_name);
	struct ear *ear;

	if ((a->ifa_flags & wanted) != wanted || ifindex == 0)
		return;
	ear = find(e, a->ifa_name, ifindex);
	if (ear == NULL || ear->seen)
		return;
	ear->seen = true;
	ear->ifindex = ifindex;
	(void)snprintf(ear->iface, sizeof ear->iface, "%s", a->ifa_name);
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		open_fd(ear, i);
}

static bool is_open(const struct ear *e)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (e->fds[i] >= 0)
			return true;
	return false;
}

int ears_look(struct ears *e, struct errmsg *why)
{
	struct ifaddrs *all;
	bool open = false;

	if (getifaddrs(&all) < 0)
		return errmsg_fail(why, -errno, "interfaces: %s",
				   strerror(errno));
	for (size_t i = 0; i < IFACES_MAX; i++)
		e->list[i].seen = false;
	for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next)
		look_at(e, a);
	freeifaddrs(all);
	for (size_t i = 0; i < IFACES_MAX; i++) {
		if (e->list[i].ifindex != 0 && !e->list[i].seen)
			close_ear(&e->list[i]);
		open = open || is_open(&e->list[i]);
	}
	return open ? 0
		    : errmsg_fail(why, -ENODEV, "there is no interface for "
				  "multicast that is up");
}

static void read_fd(struct ears *e, const struct ear *ear, int fd, ears_fn *fn,
		    void *arg)
{
	struct sockaddr_any sender;

	for (size_t i = 0; i < READS_MAX; i++) {
		sender = (struct sockaddr_any){ .len = sizeof sender.in6 };
		ssize_t n = recvfrom(fd, e->packet, sizeof e->packet,
				     MSG_DONTWAIT, &sender.sa, &sender.len);

		if (n < 0)
			return;
		fn(&(struct announced_packet){
			.iface = ear->iface,
			.sender = &sender,
			.data = e->packet,
			.len = (size_t)n,
		}, arg);
	}
}

void ears_read(struct ears *e, ears_fn *fn, void *arg)
{
	for (size_t i = 0; i < IFACES_MAX; i++)
		for (size_t k = 0; k < ARRAY_LEN(groups); k++)
			if (e->list[i].fds[k] >= 0)
				read_fd(e, &e->list[i], e->list[i].fds[k], fn,
					arg);
}
