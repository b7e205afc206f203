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
	READS_MAX = 16,   /* of one socket in one call */
	SOCKET_SIZE = 128 * 1024,
	PACKET_MAX = 65536,
};

/* RFC 2974 3: the global group, the highest address of each scope of IPv4, and
 * the same group in each scope of IPv6. */
static const char *const groups[] = {
	"224.2.127.254", "239.255.255.255", "239.195.255.255",
	"ff02::2:7ffe", "ff05::2:7ffe", "ff08::2:7ffe", "ff0e::2:7ffe",
};

struct iface {
	char name[16];
	unsigned ifindex;          /* 0: free */
	bool seen;                 /* in the last list of interfaces */
	int fds[ARRAY_LEN(groups)]; /* or -1 */
};

struct sap_socket {
	struct iface list[IFACES_MAX];
	uint8_t packet[PACKET_MAX];
};

static void close_iface(struct iface *e)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (e->fds[i] >= 0)
			fd_close(&e->fds[i]);
	e->ifindex = 0;
}

struct sap_socket *sap_socket_new(void)
{
	struct sap_socket *e = xcalloc(1, sizeof *e);

	for (size_t i = 0; i < IFACES_MAX; i++)
		for (size_t k = 0; k < ARRAY_LEN(groups); k++)
			e->list[i].fds[k] = -1;
	return e;
}

void sap_socket_free(struct sap_socket **ep)
{
	struct sap_socket *e = *ep;

	*ep = NULL;
	if (e == NULL)
		return;
	for (size_t i = 0; i < IFACES_MAX; i++)
		close_iface(&e->list[i]);
	free(e);
}

/* A socket that cannot be opened (no IPv6, say) is opened at a later update. */
static void open_fd(struct iface *e, size_t group)
{
	struct udp_place place = { .socket_size = SOCKET_SIZE };
	int each = 0;

	if (e->fds[group] >= 0)
		return;
	(void)snprintf(place.iface, sizeof place.iface, "%s", e->name);
	if (sockaddr_parse(groups[group], SAP_PORT, &place.local) < 0)
		return;
	e->fds[group] = udp_socket_open(&place, e->ifindex, NULL);
	if (e->fds[group] < 0) {
		e->fds[group] = -1;
		return;
	}
	/* GRO would join packets of different senders */
	(void)setsockopt(e->fds[group], SOL_UDP, UDP_GRO, &each, sizeof each);
}

static void update_iface(struct sap_socket *e, const struct ifaddrs *a)
{
	const unsigned wanted = IFF_UP | IFF_MULTICAST;
	unsigned ifindex = if_nametoindex(a->ifa_name);
	struct iface *iface = NULL;

	if ((a->ifa_flags & wanted) != wanted || ifindex == 0)
		return;
	/* its place, or the first free one */
	for (size_t i = 0; i < IFACES_MAX; i++) {
		struct iface *one = &e->list[i];
		bool same = one->ifindex == ifindex &&
			    strcmp(one->name, a->ifa_name) == 0;

		if (same || (one->ifindex == 0 && iface == NULL))
			iface = one;
		if (same)
			break;
	}
	if (iface == NULL || iface->seen)
		return;
	iface->seen = true;
	iface->ifindex = ifindex;
	(void)snprintf(iface->name, sizeof iface->name, "%s", a->ifa_name);
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		open_fd(iface, i);
}

int sap_socket_update(struct sap_socket *e, struct errmsg *error)
{
	struct ifaddrs *all;
	bool open = false;

	if (getifaddrs(&all) < 0)
		return errmsg_fail(error, -errno, "interfaces: %s",
				   strerror(errno));
	for (size_t i = 0; i < IFACES_MAX; i++)
		e->list[i].seen = false;
	for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next)
		update_iface(e, a);
	freeifaddrs(all);
	for (size_t i = 0; i < IFACES_MAX; i++) {
		if (e->list[i].ifindex != 0 && !e->list[i].seen)
			close_iface(&e->list[i]);
		for (size_t k = 0; k < ARRAY_LEN(groups); k++)
			open |= e->list[i].fds[k] >= 0;
	}
	return open ? 0
		    : errmsg_fail(error, -ENODEV, "no multicast interface is "
				  "up");
}

static void read_fd(struct sap_socket *e, const struct iface *iface, int fd,
		    sap_socket_fn *fn, void *arg)
{
	struct sockaddr_any sender;

	for (size_t i = 0; i < READS_MAX; i++) {
		sender = (struct sockaddr_any){ .len = sizeof sender.in6 };
		ssize_t n = recvfrom(fd, e->packet, sizeof e->packet,
				     MSG_DONTWAIT, &sender.sa, &sender.len);

		if (n < 0)
			return;
		fn(&(struct session_packet){
			.iface = iface->name,
			.sender = &sender,
			.data = e->packet,
			.len = (size_t)n,
		}, arg);
	}
}

void sap_socket_read(struct sap_socket *e, sap_socket_fn *fn, void *arg)
{
	for (size_t i = 0; i < IFACES_MAX; i++)
		for (size_t k = 0; k < ARRAY_LEN(groups); k++)
			if (e->list[i].fds[k] >= 0)
				read_fd(e, &e->list[i], e->list[i].fds[k], fn,
					arg);
}
