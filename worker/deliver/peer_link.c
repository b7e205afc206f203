/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/peer_link.h"

#include "common/base/util.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* The index of the interface in the control message of this type; 0: there is
 * none. */
static int index_in(struct msghdr *m, int level, int type)
{
	struct in6_pktinfo v6;
	struct in_pktinfo v4;
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != level || c->cmsg_type != type)
			continue;
		if (level == IPPROTO_IP) {
			memcpy(&v4, CMSG_DATA(c), sizeof v4);
			return v4.ipi_ifindex;
		}
		memcpy(&v6, CMSG_DATA(c), sizeof v6);
		return (int)v6.ipi6_ifindex;
	}
	return 0;
}

/* The interface by which the connection came; 0: unknown. */
static int interface_of(int fd)
{
	_Alignas(struct cmsghdr) char data[256];
	const int on = 1;
	int family = AF_UNSPEC, level, ask, ret, type;
	socklen_t len = sizeof family;

	(void)getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
	level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
	ask = family == AF_INET6 ? IPV6_RECVPKTINFO : IP_PKTINFO;
	ret = family == AF_INET6 ? IPV6_2292PKTOPTIONS : IP_PKTOPTIONS;
	type = family == AF_INET6 ? IPV6_PKTINFO : IP_PKTINFO;
	len = sizeof data;
	if (setsockopt(fd, level, ask, &on, sizeof on) < 0 ||
	    getsockopt(fd, level, ret, data, &len) < 0)
		return 0;
	return index_in(&(struct msghdr){ .msg_control = data,
					  .msg_controllen = len },
			level, type);
}

/* Is the interface a device?  For a device the kernel names its bus; a bridge
 * has none ("N/A"). */
static bool is_device(int fd, const char *name)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq r = { .ifr_data = (char *)&info };

	(void)snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
	return ioctl(fd, SIOCETHTOOL, &r) == 0 && info.bus_info[0] != '\0' &&
	       strcmp(info.bus_info, "N/A") != 0;
}

bool peer_link_is_device(struct peer_links *l, int fd)
{
	struct ifreq r = { .ifr_ifindex = interface_of(fd) };
	struct peer_link *link;

	if (r.ifr_ifindex == 0)
		return false;
	struct peer_link found = { .index = r.ifr_ifindex };

	if (ioctl(fd, SIOCGIFNAME, &r) < 0)
		return false;
	(void)snprintf(found.name, sizeof found.name, "%.*s", IFNAMSIZ - 1,
		       r.ifr_name);
	for (size_t i = 0; i < PEER_LINKS_MAX; i++) {
		link = &l->list[i];
		if (link->index == found.index &&
		    strcmp(link->name, found.name) == 0)
			return link->is_device;
	}
	found.is_device = is_device(fd, found.name);
	l->list[l->next] = found;
	l->next = (l->next + 1) % PEER_LINKS_MAX;
	return found.is_device;
}
