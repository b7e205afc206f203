/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/socket/netif.h"

#include "common/base/fd.h"
#include "common/base/iface.h"

#include <errno.h>
#include <net/if.h>
#include <netlink/errno.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/route.h>
#include <string.h>
#include <sys/ioctl.h>

static int ask(struct nl_sock *sock, const char *name, unsigned *ret,
	       struct errmsg *error)
{
	struct rtnl_link *link;
	int err = nl_connect(sock, NETLINK_ROUTE);

	if (err < 0)
		return errmsg_fail(error, -EIO, "netlink: %s",
				   nl_geterror(err));
	err = rtnl_link_get_kernel(sock, 0, name, &link);
	if (err == -NLE_OBJ_NOTFOUND || err == -NLE_NODEV)
		return errmsg_fail(error, -ENODEV, "interface %s: not found",
				   name);
	if (err < 0)
		return errmsg_fail(error, -EIO, "interface %s: %s", name,
				   nl_geterror(err));

	unsigned index = (unsigned)rtnl_link_get_ifindex(link);
	unsigned flags = rtnl_link_get_flags(link);

	rtnl_link_put(link);
	if (!(flags & IFF_UP))
		return errmsg_fail(error, -ENETDOWN, "interface %s is down",
				   name);
	*ret = index;
	return 0;
}

int netif_index(const char *name, unsigned *ret, struct errmsg *error)
{
	char found[IFACE_NAME_MAX];
	struct nl_sock *sock;
	int err;

	err = iface_name(name, found);
	if (err < 0)
		return errmsg_fail(error, err, "interface %s: %s", name,
				   iface_why(err));
	sock = nl_socket_alloc();
	if (sock == NULL)
		return errmsg_fail(error, -ENOMEM, "netlink: %s",
				   strerror(ENOMEM));
	err = ask(sock, found, ret, error);

	nl_socket_free(sock);
	return err;
}

int netif_towards(const struct sockaddr_any *to, unsigned *ret)
{
	bool v6 = to->sa.sa_family == AF_INET6;
	struct nl_sock *sock = nl_socket_alloc();
	struct nl_addr *addr =
		v6 ? nl_addr_build(AF_INET6, &to->in6.sin6_addr,
				   sizeof to->in6.sin6_addr)
		   : nl_addr_build(AF_INET, &to->in.sin_addr,
				   sizeof to->in.sin_addr);
	struct rtnl_route *route = NULL;
	struct rtnl_nexthop *hop = NULL;
	int err = -ENOMEM, index = 0;

	if (sock != NULL && addr != NULL) {
		err = -ENETUNREACH;
		if (nl_connect(sock, NETLINK_ROUTE) == 0 &&
		    rtnl_route_lookup(sock, addr, &route) == 0)
			hop = rtnl_route_nexthop_n(route, 0);
	}
	if (hop != NULL)
		index = rtnl_route_nh_get_ifindex(hop);
	if (index > 0) {
		*ret = (unsigned)index;
		err = 0;
	}
	rtnl_route_put(route);
	nl_addr_put(addr);
	nl_socket_free(sock);
	return err;
}

bool netif_is_loopback(unsigned index)
{
	struct ifreq req = { 0 };
	int fd;
	bool is;

	if (if_indextoname(index, req.ifr_name) == NULL)
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	is = ioctl(fd, SIOCGIFFLAGS, &req) == 0 &&
	     (req.ifr_flags & IFF_LOOPBACK) != 0;
	fd_close(&fd);
	return is;
}
