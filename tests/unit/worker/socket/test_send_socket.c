/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The effect of an output's options on its datagrams, at a receiver. */
#include "tests/unit/worker/stream/rig.h"
#include "worker/socket/send_socket.h"

#include "common/base/fd.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct seen {
	int ttl, octet;
};

static void set_on(int fd, int level, int option)
{
	int on = 1;

	cr_assert_eq(setsockopt(fd, level, option, &on, sizeof on), 0, "%s",
		     strerror(errno));
}

static int open_receiver(const struct sockaddr_any *a, const char *iface)
{
	bool v6 = a->sa.sa_family == AF_INET6;
	struct group_req req = { .gr_interface = if_nametoindex(iface) };
	int fd = socket(a->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(bind(fd, &a->sa, a->len), 0, "%s", strerror(errno));
	if (sockaddr_is_multicast(a)) {
		memcpy(&req.gr_group, &a->sa, a->len);
		cr_assert_eq(setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP,
					MCAST_JOIN_GROUP, &req, sizeof req),
			     0, "%s", strerror(errno));
	}
	set_on(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP,
	       v6 ? IPV6_RECVHOPLIMIT : IP_RECVTTL);
	set_on(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP,
	       v6 ? IPV6_RECVTCLASS : IP_RECVTOS);
	return fd;
}

static struct seen receive(int fd)
{
	struct seen seen = { -1, -1 };
	_Alignas(struct cmsghdr) char control[256];
	char data[64];
	struct iovec part = { data, sizeof data };
	struct msghdr h = { .msg_iov = &part, .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof control };

	cr_assert_eq(recvmsg(fd, &h, 0), 5, "%s", strerror(errno));
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&h); c != NULL;
	     c = CMSG_NXTHDR(&h, c)) {
		bool v6 = c->cmsg_level == IPPROTO_IPV6;

		if (c->cmsg_type == (v6 ? IPV6_HOPLIMIT : IP_TTL))
			memcpy(&seen.ttl, CMSG_DATA(c), sizeof seen.ttl);
		else if (v6)
			memcpy(&seen.octet, CMSG_DATA(c), sizeof seen.octet);
		else
			seen.octet = *CMSG_DATA(c);
	}
	return seen;
}

static int open_output(const char *address)
{
	struct output_spec spec;
	struct errmsg why = { 0 };
	int fd;

	cr_assert_eq(output_spec_parse(address, &spec, NULL, NULL, &why), 0,
		     "%s", why.text);
	fd = udp_output_socket(&spec, &why);
	cr_assert_geq(fd, 0, "%s", why.text);
	return fd;
}

Test(send_socket, sends_ttl_and_class_in_each_datagram)
{
	static const struct {
		const char *at, *iface, *address;
		struct seen seen;
	} cases[] = {
		{ "127.0.0.1", "lo", "udp://127.0.0.1:6000", { 32, 0 } },
		{ "127.0.0.1", "lo", "udp://127.0.0.1:6000#ttl=7&dscp=46",
		  { 7, 46 << 2 } },
		{ "239.1.1.1", "v0", "rtp://v0@239.1.1.1:6000#ttl=9&dscp=34",
		  { 9, 34 << 2 } },
		{ "ff15::9", "v0", "udp://v0@[ff15::9]:6000#ttl=5&dscp=63",
		  { 5, 63 << 2 } },
		{ "::1", "lo", "udp://[::1]:6000#ttl=99", { 99, 0 } },
	};
	struct rig r;

	rig_init(&r);
	rig_add_wire(&r);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sockaddr_any a;
		struct seen seen;
		int in, out;

		cr_assert_eq(sockaddr_parse(cases[i].at, 6000, &a), 0);
		in = open_receiver(&a, cases[i].iface);
		out = open_output(cases[i].address);
		cr_assert_eq(send(out, "hello", 5, 0), 5, "%s: %s",
			     cases[i].address, strerror(errno));
		seen = receive(in);
		cr_assert_eq(seen.ttl, cases[i].seen.ttl, "%s: ttl %d",
			     cases[i].address, seen.ttl);
		cr_assert_eq(seen.octet, cases[i].seen.octet, "%s: %#x",
			     cases[i].address, seen.octet);
		fd_close(&in);
		fd_close(&out);
	}
	rig_done(&r);
}

static bool file_has(const char *path, const char *text)
{
	char line[256];
	FILE *file = fopen(path, "r");
	bool found = false;

	cr_assert_not_null(file);
	while (fgets(line, sizeof line, file) != NULL)
		found = found || strstr(line, text) != NULL;
	(void)fclose(file);
	return found;
}

Test(send_socket, joins_a_group_without_receiving)
{
	struct rig r;
	int plain, member, v6;
	char data[8];

	rig_init(&r);
	rig_add_wire(&r);
	plain = open_output("udp://v0@239.7.7.7:6000");
	cr_assert_not(file_has("/proc/net/igmp", "070707EF"));
	member = open_output("udp://v0@239.7.7.7:6000#join");
	cr_assert(file_has("/proc/net/igmp", "070707EF"));
	v6 = open_output("udp://v0@[ff15::77]:6000#join");
	cr_assert(file_has("/proc/net/igmp6",
			   "ff150000000000000000000000000077"));
	cr_assert_eq(send(plain, "hello", 5, 0), 5);
	cr_assert_eq(send(member, "hello", 5, 0), 5);
	cr_assert_lt(recv(member, data, sizeof data, MSG_DONTWAIT), 0);
	fd_close(&member);
	fd_close(&plain);
	fd_close(&v6);
	cr_assert_not(file_has("/proc/net/igmp", "070707EF"));
	rig_done(&r);
}

/* The route makes the kernel choose as it may while an interface becomes
 * ready: ::1 for a group that is sent to v0. */
Test(send_socket, does_not_send_to_groups_from_an_address_of_lo)
{
	struct output_spec spec;
	struct errmsg why = { 0 };
	struct rig r;

	rig_init(&r);
	if (system("ip link add v0 type veth peer name v1 && "
		   "ip link set v0 up && "
		   "ip -6 route add ff15::/16 from ::1 dev v0") != 0)
		cr_skip_test("no routes by source here");
	cr_assert_eq(output_spec_parse("udp://v0@[ff15::9]:6000", &spec, NULL,
				       NULL, &why), 0);
	cr_assert_eq(udp_output_socket(&spec, &why), -EADDRNOTAVAIL);
	cr_assert_str_eq(why.text, "interface v0 has no address to send from");
	rig_done(&r);
}
