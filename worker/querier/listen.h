/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Raw sockets on which the general queries of all interfaces arrive: the
 * kernel is in the groups that they are sent to, and answers them itself. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "worker/querier/query.h"

/* Needs CAP_NET_RAW, no more once it is open.  The descriptor, or -errno with
 * why. */
int igmp_listen(struct errmsg *why) MUST_CHECK;
int mld_listen(struct errmsg *why) MUST_CHECK;

/*
 * Takes one datagram: 1 and who asked what on which interface, 0 when it was
 * something else, or -errno (-EAGAIN: there is none).
 */
struct query_seen {
	unsigned ifindex;
	struct sockaddr_any from;
	struct group_query query;
};
int igmp_receive(int fd, struct query_seen *ret) MUST_CHECK;
int mld_receive(int fd, struct query_seen *ret) MUST_CHECK;
