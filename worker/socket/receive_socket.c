/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/socket/receive_socket.h"

#include "common/base/fd.h"
#include "proto/spec/io_spec.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

enum {
	/* What the kernel gives for UDP_RECEIVE_BUFFER: it doubles the value,
	 * and counts 2,304 bytes for a datagram of 1,316. */
	LARGE = 2 * UDP_RECEIVE_BUFFER,
};

static int ip_level(const struct udp_place *place)
{
	return place->local.sa.sa_family == AF_INET6 ? IPPROTO_IPV6
						    : IPPROTO_IP;
}

static void copy_address(struct sockaddr_storage *to,
			 const struct sockaddr_any *from)
{
	memset(to, 0, sizeof *to);
	memcpy(to, &from->sa, from->len);
}

static int join(int fd, const struct udp_place *place, unsigned ifindex)
{
	int level = ip_level(place), r;

	if (place->has_source) {
		struct group_source_req req = { .gsr_interface = ifindex };

		copy_address(&req.gsr_group, &place->local);
		copy_address(&req.gsr_source, &place->source);
		r = setsockopt(fd, level, MCAST_JOIN_SOURCE_GROUP, &req,
			       sizeof req);
	} else {
		struct group_req req = { .gr_interface = ifindex };

		copy_address(&req.gr_group, &place->local);
		r = setsockopt(fd, level, MCAST_JOIN_GROUP, &req, sizeof req);
	}
	return r < 0 ? -errno : 0;
}

void udp_socket_stamp(int fd, bool on)
{
	(void)fd_set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, on);
}

static int fail_bind(const struct sockaddr_any *where, int err,
		     struct errmsg *error)
{
	char address[SOCKADDR_TEXT_MAX];

	sockaddr_format(where, address);
	return errmsg_fail(error, -err, "bind %s: %s", address,
			   err == EADDRNOTAVAIL
				   ? "not an address of this host"
				   : strerror(err));
}

static int bind_group(int fd, const struct udp_place *place,
		      unsigned ifindex, struct errmsg *error)
{
	struct sockaddr_any group = place->local;
	bool v6 = group.sa.sa_family == AF_INET6;

	/* several streams may take the same group and port */
	(void)fd_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	/* receives no groups that only other programs of this host joined */
	(void)fd_set_option(fd, ip_level(place),
		      v6 ? IPV6_MULTICAST_ALL : IP_MULTICAST_ALL, 0);
	if (v6 && ifindex != 0) {
		/* an IPv6 membership does not select the interface */
		(void)fd_set_option(fd, SOL_SOCKET, SO_BINDTOIFINDEX,
		                    (int)ifindex);
		group.in6.sin6_scope_id = ifindex;
	}
	if (bind(fd, &group.sa, group.len) < 0)
		return fail_bind(&group, errno, error);

	int r = join(fd, place, ifindex);

	if (r == -ENODEV && ifindex == 0)
		return errmsg_fail(error, r, "join: no route to the group; "
				   "name an interface: <iface>@<group>");
	if (r < 0)
		return errmsg_fail(error, r, "join: %s", strerror(-r));
	return 0;
}

int udp_socket_open(const struct udp_place *place, unsigned ifindex,
		    struct errmsg *error)
{
	unsigned size = place->socket_size > 0 ? place->socket_size
					       : UDP_RECEIVE_BUFFER;
	int fd = socket(place->local.sa.sa_family,
			SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errmsg_fail(error, -errno, "socket: %s",
				   strerror(errno));
	/* the socket works without these, so errors do not matter */
	(void)fd_set_option(fd, SOL_SOCKET, SO_RCVBUF,
	                    (int)MIN(size, 1U << 30));
	(void)fd_set_option(fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
	(void)fd_set_option(fd, SOL_UDP, UDP_GRO, 1);

	int r = 0;

	if (sockaddr_is_multicast(&place->local)) {
		r = bind_group(fd, place, ifindex, error);
	} else {
		if (ifindex != 0)
			r = fd_set_option(fd, SOL_SOCKET, SO_BINDTOIFINDEX,
					  (int)ifindex);
		if (r < 0)
			errmsg_set(error, "interface %s: %s", place->iface,
				   strerror(-r));
		else if (bind(fd, &place->local.sa, place->local.len) < 0)
			r = fail_bind(&place->local, errno, error);
	}
	if (r < 0) {
		fd_close(&fd);
		return r;
	}
	return fd;
}

bool udp_socket_is_large(int fd)
{
	int size;
	socklen_t len = sizeof size;

	return getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &len) == 0 &&
	       size >= LARGE;
}

/* Sets the source filter of the group: the given mode (MCAST_INCLUDE or
 * MCAST_EXCLUDE) with one source, or with an empty list (NULL). */
static int set_filter(int fd, const struct udp_place *place, unsigned ifindex,
		      uint32_t mode, const struct sockaddr_any *source)
{
	struct group_filter filter = {
		.gf_interface = ifindex,
		.gf_fmode = mode,
		.gf_numsrc = source != NULL,
	};

	copy_address(&filter.gf_group, &place->local);
	if (source != NULL)
		copy_address(&filter.gf_slist[0], source);
	return setsockopt(fd, ip_level(place), MCAST_MSFILTER, &filter,
			  (socklen_t)GROUP_FILTER_SIZE(filter.gf_numsrc)) < 0
		       ? -errno
		       : 0;
}

int udp_socket_renew(int fd, const struct udp_place *place, unsigned ifindex,
		     const struct sockaddr_any *source, struct errmsg *error)
{
	struct group_req req = { .gr_interface = ifindex };
	int r;

	if (place->has_source) {
		r = set_filter(fd, place, ifindex, MCAST_EXCLUDE, NULL);
		if (r == 0)
			r = set_filter(fd, place, ifindex, MCAST_INCLUDE,
				       &place->source);
	} else if (source->len > 0) {
		r = set_filter(fd, place, ifindex, MCAST_INCLUDE, source);
		if (r == 0)
			r = set_filter(fd, place, ifindex, MCAST_EXCLUDE,
				       NULL);
	} else {
		/* without a sender no packet can be lost */
		copy_address(&req.gr_group, &place->local);
		(void)setsockopt(fd, ip_level(place), MCAST_LEAVE_GROUP, &req,
				 sizeof req);
		r = join(fd, place, ifindex);
	}
	if (r < 0)
		return errmsg_fail(error, r, "join again: %s", strerror(-r));
	return 0;
}
