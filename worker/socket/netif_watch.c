/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/socket/netif_watch.h"

#include "common/base/alloc.h"

#include <linux/rtnetlink.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdlib.h>

enum { READS_MAX = 64 /* in one call, so that a flood cannot hold the loop */ };

struct netif_watch {
	struct nl_sock *sock;
	unsigned ifindex; /* the interface that is watched */
	unsigned seen;    /* bits of enum netif_change */
};

static int on_event(struct nl_msg *msg, void *arg)
{
	struct netif_watch *w = arg;
	struct nlmsghdr *head = nlmsg_hdr(msg);
	unsigned index = 0;

	switch (head->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		if (nlmsg_valid_hdr(head, sizeof(struct ifinfomsg)))
			index = (unsigned)((struct ifinfomsg *)
					   nlmsg_data(head))->ifi_index;
		break;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		if (nlmsg_valid_hdr(head, sizeof(struct ifaddrmsg)))
			index = ((struct ifaddrmsg *)
				 nlmsg_data(head))->ifa_index;
		break;
	default:
		break;
	}
	w->seen |= index != 0 && index == w->ifindex ? NETIF_TOUCHED : 0;
	/* the kernel reports no routes that end with their interface */
	w->seen |= NETIF_ROUTES;
	return NL_OK;
}

struct netif_watch *netif_watch_new(bool routes)
{
	struct netif_watch *w = xcalloc(1, sizeof *w);
	int err = -NLE_NOMEM;

	w->sock = nl_socket_alloc();
	if (w->sock != NULL) {
		/* events answer no request: they have no sequence */
		nl_socket_disable_seq_check(w->sock);
		nl_socket_modify_cb(w->sock, NL_CB_VALID, NL_CB_CUSTOM,
				    on_event, w);
		err = nl_connect(w->sock, NETLINK_ROUTE);
	}
	if (err == 0)
		err = nl_socket_add_memberships(w->sock, RTNLGRP_LINK,
						RTNLGRP_IPV4_IFADDR,
						RTNLGRP_IPV6_IFADDR, 0);
	if (err == 0 && routes)
		err = nl_socket_add_memberships(w->sock, RTNLGRP_IPV4_ROUTE,
						RTNLGRP_IPV6_ROUTE,
						RTNLGRP_IPV4_RULE,
						RTNLGRP_IPV6_RULE, 0);
	if (err == 0)
		err = nl_socket_set_nonblocking(w->sock);
	if (err < 0)
		netif_watch_free(&w);
	return w;
}

void netif_watch_free(struct netif_watch **w)
{
	if (*w == NULL)
		return;
	if ((*w)->sock != NULL)
		nl_socket_free((*w)->sock);
	free(*w);
	*w = NULL;
}

int netif_watch_fd(const struct netif_watch *w)
{
	return nl_socket_get_fd(w->sock);
}

unsigned netif_watch_look(struct netif_watch *w, unsigned ifindex)
{
	int err = 0;

	w->ifindex = ifindex;
	w->seen = 0;
	for (int i = 0; i < READS_MAX && err >= 0; i++)
		err = nl_recvmsgs_default(w->sock);
	/* -NLE_AGAIN: all events were read.  Otherwise events were dropped or
	 * still wait, and each kind may be among them. */
	return err == -NLE_AGAIN ? w->seen : NETIF_TOUCHED | NETIF_ROUTES;
}
