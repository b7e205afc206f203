/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/netif.h"

#include <errno.h>
#include <net/if.h>
#include <netlink/errno.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <string.h>

static int ask(struct nl_sock *sock, const char *name, unsigned *ret,
	       struct errmsg *why)
{
	struct rtnl_link *link;
	int err = nl_connect(sock, NETLINK_ROUTE);

	if (err < 0)
		return errmsg_fail(why, -EIO, "netlink: %s",
				   nl_geterror(err));
	err = rtnl_link_get_kernel(sock, 0, name, &link);
	if (err < 0)
		return errmsg_fail(why, -ENODEV, "interface %s: %s", name,
				   err == -NLE_OBJ_NOTFOUND ||
						   err == -NLE_NODEV
					   ? "there is none of that name"
					   : nl_geterror(err));

	unsigned index = (unsigned)rtnl_link_get_ifindex(link);
	unsigned flags = rtnl_link_get_flags(link);

	rtnl_link_put(link);
	if (!(flags & IFF_UP))
		return errmsg_fail(why, -ENETDOWN, "interface %s is down",
				   name);
	*ret = index;
	return 0;
}

int netif_index(const char *name, unsigned *ret, struct errmsg *why)
{
	struct nl_sock *sock = nl_socket_alloc();

	if (sock == NULL)
		return errmsg_fail(why, -ENOMEM, "netlink: %s",
				   strerror(ENOMEM));

	int err = ask(sock, name, ret, why);

	nl_socket_free(sock);
	return err;
}
