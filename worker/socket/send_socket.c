/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/socket/send_socket.h"

#include "common/base/fd.h"
#include "common/base/iface.h"
#include "worker/socket/netif.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { SEND_BUFFER = 1024 * 1024 };

int udp_output_segment(int fd, int bytes)
{
	return fd_set_option(fd, SOL_UDP, UDP_SEGMENT, bytes);
}

int udp_output_timed(int fd)
{
	const struct sock_txtime how = { .clockid = CLOCK_MONOTONIC };

	return setsockopt(fd, SOL_SOCKET, SO_TXTIME, &how, sizeof how) < 0
		       ? -errno
		       : 0;
}

static int set_interface(int fd, const struct output_spec *spec,
			 struct errmsg *error)
{
	unsigned index;
	int r = netif_index(spec->iface, &index, error);

	if (r < 0)
		return r;
	if (!sockaddr_is_multicast(&spec->remote))
		r = fd_set_option(fd, SOL_SOCKET, SO_BINDTOIFINDEX, (int)index);
	else if (spec->remote.sa.sa_family == AF_INET6)
		r = fd_set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF,
				  (int)index);
	else {
		struct ip_mreqn req = { .imr_ifindex = (int)index };

		if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &req,
			       sizeof req) < 0)
			r = -errno;
	}
	if (r < 0)
		return errmsg_fail(error, r, "interface %s: %s", spec->iface,
				   strerror(-r));
	return 0;
}

/* Sets TTL and DSCP, and lets receivers on this host get its multicast.  Errors
 * are ignored. */
static void set_header(int fd, const struct output_spec *spec)
{
	int ttl = (int)spec->ttl;
	/* the DSCP is the upper six bits; the lower two are for ECN (RFC
	 * 3168) */
	int class = (int)spec->dscp << 2;

	if (spec->remote.sa.sa_family == AF_INET6) {
		(void)fd_set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, ttl);
		(void)fd_set_option(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, ttl);
		(void)fd_set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 1);
		(void)fd_set_option(fd, IPPROTO_IPV6, IPV6_TCLASS, class);
	} else {
		(void)fd_set_option(fd, IPPROTO_IP, IP_MULTICAST_TTL, ttl);
		(void)fd_set_option(fd, IPPROTO_IP, IP_TTL, ttl);
		(void)fd_set_option(fd, IPPROTO_IP, IP_MULTICAST_LOOP, 1);
		(void)fd_set_option(fd, IPPROTO_IP, IP_TOS, class);
	}
}

/* The membership makes a switch with IGMP snooping forward the group even
 * without receivers.  The socket receives no packets, because its port is
 * another one. */
static int join_group(int fd, const struct output_spec *spec,
		      struct errmsg *error)
{
	bool v6 = spec->remote.sa.sa_family == AF_INET6;
	struct group_req req = { 0 };
	int r = 0;

	if (spec->iface[0] != '\0')
		r = netif_index(spec->iface, &req.gr_interface, error);
	if (r < 0)
		return r;
	memcpy(&req.gr_group, &spec->remote.sa, spec->remote.len);
	if (setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, MCAST_JOIN_GROUP,
		       &req, sizeof req) < 0)
		return errmsg_fail(error, -errno, "join: %s", strerror(errno));
	return 0;
}

/*
 * True if the kernel chose an invalid source for a group (RFC 4291 2.5.3, RFC
 * 1122 3.2.1.3), and would keep it: the given interface is not ready, or has
 * no address.  False for a unicast address, without an interface, and on
 * loopback.
 */
static bool has_no_source(int fd, const struct output_spec *spec)
{
	struct sockaddr_any from = { .len = sizeof from.in6 };
	char name[IFACE_NAME_MAX];
	bool invalid;

	if (spec->iface[0] == '\0' || !sockaddr_is_multicast(&spec->remote) ||
	    getsockname(fd, &from.sa, &from.len) < 0)
		return false;
	invalid = from.sa.sa_family == AF_INET6
			  ? IN6_IS_ADDR_LOOPBACK(&from.in6.sin6_addr)
			  : from.in.sin_addr.s_addr == htonl(INADDR_ANY);
	return invalid && iface_name(spec->iface, name) == 0 &&
	       !netif_is_loopback(if_nametoindex(name));
}

static int fail_connect(const struct output_spec *spec, int err,
			struct errmsg *error)
{
	char address[SOCKADDR_TEXT_MAX];

	sockaddr_format(&spec->remote, address);
	/* a link-local address is valid only on an interface */
	if (err == EINVAL && spec->remote.sa.sa_family == AF_INET6 &&
	    spec->iface[0] == '\0')
		return errmsg_fail(error, -err, "%s is a link-local address; "
				   "name its interface: <iface>@<address>",
				   address);
	if (err == ENETUNREACH && spec->iface[0] == '\0')
		return errmsg_fail(error, -err, "no route to %s; name an "
				   "interface: <iface>@<address>", address);
	return errmsg_fail(error, -err, "connect %s: %s", address,
			   strerror(err));
}

static int prepare(int fd, const struct output_spec *spec,
		   struct errmsg *error)
{
	unsigned size = spec->socket_size > 0 ? spec->socket_size
					      : SEND_BUFFER;
	int r = 0;

	(void)fd_set_option(fd, SOL_SOCKET, SO_SNDBUF,
	                    (int)MIN(size, 1U << 30));
	set_header(fd, spec);
	if (spec->iface[0] != '\0')
		r = set_interface(fd, spec, error);
	if (r < 0)
		return r;
	if (connect(fd, &spec->remote.sa, spec->remote.len) < 0)
		return fail_connect(spec, errno, error);
	if (has_no_source(fd, spec))
		return errmsg_fail(error, -EADDRNOTAVAIL, "interface %s has no "
				   "address to send from", spec->iface);
	return spec->join ? join_group(fd, spec, error) : 0;
}

bool udp_output_same_source(int fd, int other)
{
	struct sockaddr_any a = { .len = sizeof a.in6 };
	struct sockaddr_any b = { .len = sizeof b.in6 };
	char host_a[SOCKADDR_TEXT_MAX], host_b[SOCKADDR_TEXT_MAX];

	if (getsockname(fd, &a.sa, &a.len) < 0 ||
	    getsockname(other, &b.sa, &b.len) < 0)
		return false;
	sockaddr_format_host(&a, host_a);
	sockaddr_format_host(&b, host_b);
	return strcmp(host_a, host_b) == 0;
}

int udp_output_socket(const struct output_spec *spec, struct errmsg *error)
{
	int fd = socket(spec->remote.sa.sa_family,
			SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errmsg_fail(error, -errno, "socket: %s",
				   strerror(errno));

	int r = prepare(fd, spec, error);

	if (r < 0) {
		fd_close(&fd);
		return r;
	}
	return fd;
}
