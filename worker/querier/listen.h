/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Raw sockets that receive the general queries of all interfaces.  The kernel
 * is a member of the groups of queries and answers them itself.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "worker/querier/query.h"

/* Opens the socket for IGMP or MLD: the descriptor, or -errno with error.  Only
 * these two functions need CAP_NET_RAW. */
int igmp_listen(struct errmsg *error) MUST_CHECK;
int mld_listen(struct errmsg *error) MUST_CHECK;

/* A query that igmp_receive() or mld_receive() received.  Both take one
 * datagram and return 1 with the query, 0 for any other datagram, or -errno
 * (-EAGAIN: no datagram). */
struct query_seen {
	unsigned ifindex;
	struct sockaddr_any from;
	struct group_query query;
};
int igmp_receive(int fd, struct query_seen *ret) MUST_CHECK;
int mld_receive(int fd, struct query_seen *ret) MUST_CHECK;
