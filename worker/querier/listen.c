/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/querier/listen.h"

#include "common/base/fd.h"

#include <errno.h>
#include <netinet/icmp6.h>
#include <string.h>
#include <sys/socket.h>

enum {
	/* Bytes.  A general query is shorter: only group-specific queries name
	 * sources. */
	QUERY_MAX = 512,
	MLD_HOP_LIMIT = 1,
};

struct control {
	unsigned ifindex;
	int hop_limit;
	struct in6_addr to;
};

static int open_raw(int family, int protocol, struct errmsg *error)
{
	int fd = socket(family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC,
			protocol);

	if (fd < 0 && errno == EPERM)
		return errmsg_fail(error, -EPERM, "CAP_NET_RAW is missing");
	if (fd < 0)
		return errmsg_fail(error, -errno, "%s", strerror(errno));
	return fd;
}

/* Returns fd; on an error closes it, and returns err with error. */
static int finish(int fd, int err, struct errmsg *error)
{
	if (err == 0)
		return fd;
	fd_close(&fd);
	return errmsg_fail(error, err, "%s", strerror(-err));
}

int igmp_listen(struct errmsg *error)
{
	int fd = open_raw(AF_INET, IPPROTO_IGMP, error);

	if (fd < 0)
		return fd;
	return finish(fd, fd_set_option(fd, IPPROTO_IP, IP_PKTINFO, 1), error);
}

int mld_listen(struct errmsg *error)
{
	struct icmp6_filter filter;
	int fd = open_raw(AF_INET6, IPPROTO_ICMPV6, error), r;

	if (fd < 0)
		return fd;
	ICMP6_FILTER_SETBLOCKALL(&filter);
	ICMP6_FILTER_SETPASS(MLD_LISTENER_QUERY, &filter);
	r = setsockopt(fd, IPPROTO_ICMPV6, ICMP6_FILTER, &filter,
		       sizeof filter) < 0
		    ? -errno
		    : 0;
	if (r == 0)
		r = fd_set_option(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	if (r == 0)
		r = fd_set_option(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
	return finish(fd, r, error);
}

static void read_control(struct msghdr *h, struct control *ret)
{
	*ret = (struct control){ .hop_limit = -1 };
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL;
	     c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level == IPPROTO_IP &&
		    c->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo info;

			memcpy(&info, CMSG_DATA(c), sizeof info);
			ret->ifindex = (unsigned)info.ipi_ifindex;
		} else if (c->cmsg_level == IPPROTO_IPV6 &&
			   c->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo info;

			memcpy(&info, CMSG_DATA(c), sizeof info);
			ret->ifindex = info.ipi6_ifindex;
			ret->to = info.ipi6_addr;
		} else if (c->cmsg_level == IPPROTO_IPV6 &&
			   c->cmsg_type == IPV6_HOPLIMIT) {
			memcpy(&ret->hop_limit, CMSG_DATA(c),
			       sizeof ret->hop_limit);
		}
	}
}

/* Receives a datagram; returns its length, 0 if it or its control data was
 * truncated, or -errno. */
static ssize_t receive(int fd, uint8_t data[QUERY_MAX],
		       struct sockaddr_any *from, struct control *control)
{
	_Alignas(struct cmsghdr) uint8_t room[256];
	struct iovec iov = { .iov_base = data, .iov_len = QUERY_MAX };
	struct msghdr h = {
		.msg_name = &from->sa,
		.msg_namelen = sizeof from->in6,
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = room,
		.msg_controllen = sizeof room,
	};
	ssize_t n = recvmsg(fd, &h, MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	from->len = h.msg_namelen;
	read_control(&h, control);
	return h.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? 0 : n;
}

int igmp_receive(int fd, struct query_seen *ret)
{
	uint8_t data[QUERY_MAX];
	struct control control;
	ssize_t n = receive(fd, data, &ret->from, &control);

	if (n < 0)
		return (int)n;
	ret->ifindex = control.ifindex;
	return control.ifindex != 0 &&
	       igmp_query_parse(data, (size_t)n, &ret->query) == 0;
}

/* A query is valid only if it stays on the link: with hop limit 1, from a
 * link-local address to a link-local group (RFC 3810, 5.1.14). */
int mld_receive(int fd, struct query_seen *ret)
{
	uint8_t data[QUERY_MAX];
	struct control control;
	ssize_t n = receive(fd, data, &ret->from, &control);

	if (n < 0)
		return (int)n;
	ret->ifindex = control.ifindex;
	ret->from.in6.sin6_scope_id = 0; /* ifindex has the interface */
	return control.ifindex != 0 && control.hop_limit == MLD_HOP_LIMIT &&
	       IN6_IS_ADDR_MC_LINKLOCAL(&control.to) &&
	       IN6_IS_ADDR_LINKLOCAL(&ret->from.in6.sin6_addr) &&
	       mld_query_parse(data, (size_t)n, &ret->query) == 0;
}
