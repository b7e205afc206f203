/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/stream/rig.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/sockaddr.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/socket/netif_watch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <net/route.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/inet6.h>
#include <netlink/route/link/veth.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STILL_MS = 3 /* of a loop that turns twice in one */ };

static void set_up(const char *name)
{
	struct ifreq ifr = { .ifr_flags = IFF_UP | IFF_MULTICAST };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)snprintf(ifr.ifr_name, sizeof ifr.ifr_name, "%s", name);
	cr_assert_eq(ioctl(fd, SIOCSIFFLAGS, &ifr), 0, "%s: %s", name,
		     strerror(errno));
	fd_close(&fd);
}

/* Groups of IPv4 are found on lo. */
static void add_groups(void)
{
	char lo[] = "lo";
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct sockaddr_in mask = to;
	struct rtentry route = { .rt_flags = RTF_UP, .rt_dev = lo };

	to.sin_addr.s_addr = htonl(0xe0000000);
	mask.sin_addr.s_addr = htonl(0xf0000000);
	memcpy(&route.rt_dst, &to, sizeof to);
	memcpy(&route.rt_genmask, &mask, sizeof mask);
	cr_assert_eq(ioctl(fd, SIOCADDRT, &route), 0, "%s", strerror(errno));
	fd_close(&fd);
}

static void take_datagram(struct rig_capture *c, size_t len)
{
	uint64_t now = mono_ns();

	cr_assert_geq(len, c->header);
	cr_assert_leq(c->len + len, RIG_CAPTURE);
	memcpy(c->data + c->len, c->last + c->header, len - c->header);
	c->len += len - c->header;
	c->datagrams++;
	if (c->last_ns != 0)
		c->gap_ns = MAX(c->gap_ns, now - c->last_ns);
	c->last_ns = now;
	if (now - c->ms >= MS) {
		c->ms = now;
		c->in_ms = 0;
	}
	c->in_ms += len;
	c->most_in_ms = MAX(c->most_in_ms, c->in_ms);
}

static void on_pulse(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct rig *r = container_of(w, struct rig, pulse);
	uint64_t now = mono_ns();

	(void)loop, (void)revents;
	if (r->pulse_ns != 0 && now - r->pulse_ns > STILL_MS * MS)
		r->stood_ns += now - r->pulse_ns;
	r->pulse_ns = now;
	for (unsigned i = 0; i < RIG_OUTPUTS; i++) {
		struct rig_capture *c = &r->out[i];
		ssize_t n;

		while (c->fd >= 0 && (n = recv(c->fd, c->last, sizeof c->last,
					       MSG_DONTWAIT)) >= 0)
			take_datagram(c, (size_t)n);
	}
}

void rig_init(struct rig *r)
{
	if (unshare(CLONE_NEWNET) < 0 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		cr_skip_test("no network namespaces here: %s",
			     strerror(errno));
	set_up("lo");
	add_groups();
	memset(r, 0, sizeof *r);
	r->group_if = if_nametoindex("lo");
	r->memory = -1;
	r->loop = ev_loop_new(EVFLAG_AUTO);
	r->tx = -1;
	for (unsigned i = 0; i < RIG_OUTPUTS; i++)
		r->out[i].fd = -1;
	ev_timer_init(&r->pulse, on_pulse, 0, 0.0005);
	ev_timer_again(r->loop, &r->pulse);
}

void rig_done(struct rig *r)
{
	pipeline_free(&r->pipeline);
	fd_close(&r->tx);
	for (unsigned i = 0; i < RIG_OUTPUTS; i++) {
		fd_close(&r->out[i].fd);
		free(r->out[i].data);
	}
	ev_timer_stop(r->loop, &r->pulse);
	ev_loop_destroy(r->loop);
}

/* Only then is nothing dropped that is sent into it. */
static void await_running(struct rig *r, const char *name)
{
	struct ifreq ifr = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t end = mono_ns() + RIG_PATIENCE_MS * MS;

	(void)snprintf(ifr.ifr_name, sizeof ifr.ifr_name, "%s", name);
	for (;;) {
		cr_assert_eq(ioctl(fd, SIOCGIFFLAGS, &ifr), 0, "%s: %s", name,
			     strerror(errno));
		if ((ifr.ifr_flags & IFF_RUNNING) != 0)
			break;
		cr_assert_lt(mono_ns(), end, "%s is not running", name);
		rig_turn(r, 1);
	}
	fd_close(&fd);
}

/* 0 or an error of libnl.  Duplicate address detection is off: the address is a
 * source of datagrams at once. */
static int add_address(struct nl_sock *sock, unsigned index, int family,
		       const char *text)
{
	struct rtnl_addr *addr = rtnl_addr_alloc();
	struct nl_addr *local;
	int r;

	cr_assert_eq(nl_addr_parse(text, family, &local), 0);
	rtnl_addr_set_ifindex(addr, (int)index);
	rtnl_addr_set_local(addr, local);
	rtnl_addr_set_flags(addr, IFA_F_NODAD);
	r = rtnl_addr_add(sock, addr, 0);
	nl_addr_put(local);
	rtnl_addr_put(addr);
	return r;
}

/* A thread of the kernel still reports the address when it is ready; an input
 * that receives the report during the test joins its groups again. */
static void await_news(struct rig *r, struct netif_watch *watch)
{
	uint64_t end = mono_ns() + RIG_PATIENCE_MS * MS;

	while ((netif_watch_look(watch, r->group_if) & NETIF_TOUCHED) == 0) {
		cr_assert_lt(mono_ns(), end, "no news of the address");
		rig_turn(r, 1);
	}
}

/* The kernel adds no address of IPv6, which would appear during the test. */
static void leave_bare(struct nl_sock *sock, const char *name)
{
	struct rtnl_link *link = rtnl_link_alloc();
	int err;

	rtnl_link_set_name(link, name);
	err = rtnl_link_inet6_set_addr_gen_mode(link, IN6_ADDR_GEN_MODE_NONE);
	cr_assert_eq(err, 0, "%s", nl_geterror(err));
	err = rtnl_link_change(sock, link, link, 0);
	if (err < 0)
		cr_skip_test("no IPv6 here: %s", nl_geterror(err));
	rtnl_link_put(link);
}

void rig_add_wire(struct rig *r)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct netif_watch *watch;
	int err;

	err = nl_connect(sock, NETLINK_ROUTE);
	cr_assert_eq(err, 0, "%s", nl_geterror(err));
	err = rtnl_link_veth_add(sock, "v0", "v1", getpid());
	if (err < 0)
		cr_skip_test("no veth interfaces here: %s", nl_geterror(err));
	leave_bare(sock, "v0");
	leave_bare(sock, "v1");
	set_up("v0");
	set_up("v1");
	r->group_if = if_nametoindex("v0");
	await_running(r, "v0");
	/* a change of addresses waits for the kernel's own work on the link */
	err = add_address(sock, r->group_if, AF_INET, "10.9.9.1/24");
	cr_assert_eq(err, 0, "10.9.9.1: %s", nl_geterror(err));
	watch = netif_watch_new(false);
	cr_assert_not_null(watch);
	err = add_address(sock, r->group_if, AF_INET6, "fe80::9/64");
	if (err < 0)
		cr_skip_test("no IPv6 here: %s", nl_geterror(err));
	await_news(r, watch);
	netif_watch_free(&watch);
	nl_socket_free(sock);
}

void rig_narrow_lo(struct rig *r)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_mtu = 1000 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)r;
	cr_assert_eq(ioctl(fd, SIOCSIFMTU, &ifr), 0, "%s", strerror(errno));
	fd_close(&fd);
}

static void on_status(const struct msg_stream_status *status, void *arg)
{
	struct rig *r = arg;
	const struct msg_input_status *in = &status->inputs[0];

	r->status = *status;
	r->n_status++;
	(void)snprintf(r->input_error, sizeof r->input_error, "%s",
		       in->error != NULL ? in->error : "");
	r->sum.packets += in->packets;
	r->sum.cc_error += in->cc_error;
	r->sum.lost += in->lost;
	r->sum.socket_drops += in->socket_drops;
	r->sum.sync_losses += in->sync_losses;
}

void rig_start(struct rig *r, const char *input, const char *output0,
	       const char *output1)
{
	struct msg_stream_start start = {
		.id = "a001",
		.name = "test",
		.n_inputs = 1,
		.inputs = { input },
		.n_outputs = output1 != NULL ? 2 : output0 != NULL ? 1 : 0,
		.outputs = { output0, output1 },
		.feed = r->feed,
	};

	r->pipeline = pipeline_new(&(struct pipeline_config){
		.loop = r->loop,
		.start = &start,
		.ring = -1,
		.memory = r->memory,
		.on_status = on_status,
		.arg = r,
	});
}

static void join(int fd, const struct sockaddr_any *group, unsigned index)
{
	struct group_req req = { .gr_interface = index };
	int level = group->sa.sa_family == AF_INET6 ? IPPROTO_IPV6
						    : IPPROTO_IP;

	memcpy(&req.gr_group, &group->sa, group->len);
	cr_assert_eq(setsockopt(fd, level, MCAST_JOIN_GROUP, &req,
				sizeof req),
		     0, "%s", strerror(errno));
}

void rig_listen(struct rig *r, unsigned i, const char *host, uint16_t port)
{
	struct rig_capture *c = &r->out[i];
	struct sockaddr_any a;
	int size = 4 << 20;

	cr_assert_eq(sockaddr_parse(host, port, &a), 0);
	c->fd = socket(a.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	(void)setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	cr_assert_eq(bind(c->fd, &a.sa, a.len), 0, "%s", strerror(errno));
	if (sockaddr_is_multicast(&a))
		join(c->fd, &a, r->group_if);
	c->data = xcalloc(1, RIG_CAPTURE);
}

void rig_aim(struct rig *r, const char *host, uint16_t port)
{
	struct sockaddr_any a, from;
	int index = (int)r->group_if;
	struct ip_mreqn req = { .imr_ifindex = index };

	cr_assert_eq(sockaddr_parse(host, port, &a), 0);
	cr_assert_eq(sockaddr_parse("127.0.0.1", 0, &from), 0);
	fd_close(&r->tx);
	r->tx = socket(a.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (a.sa.sa_family == AF_INET6)
		(void)setsockopt(r->tx, IPPROTO_IPV6, IPV6_MULTICAST_IF,
				 &index, sizeof index);
	else
		(void)setsockopt(r->tx, IPPROTO_IP, IP_MULTICAST_IF, &req,
				 sizeof req);
	/* on lo a group has no default source address */
	if (a.sa.sa_family == AF_INET && r->group_if == if_nametoindex("lo"))
		cr_assert_eq(bind(r->tx, &from.sa, from.len), 0);
	cr_assert_eq(connect(r->tx, &a.sa, a.len), 0, "%s", strerror(errno));
}

void rig_send(struct rig *r, const void *data, size_t len)
{
	cr_assert_eq(send(r->tx, data, len, 0), (ssize_t)len, "%s",
		     strerror(errno));
}

void rig_turn(struct rig *r, unsigned ms)
{
	uint64_t end = mono_ns() + ms * MS;

	do
		ev_run(r->loop, EVRUN_ONCE);
	while (mono_ns() < end);
}

void rig_await(struct rig *r, unsigned i, size_t len)
{
	uint64_t end = mono_ns() + RIG_PATIENCE_MS * MS;

	while (r->out[i].len < len) {
		cr_assert_lt(mono_ns(), end, "%zu of %zu bytes came",
			     r->out[i].len, len);
		ev_run(r->loop, EVRUN_ONCE);
	}
}

void rig_await_status(struct rig *r, unsigned n)
{
	uint64_t end = mono_ns() + RIG_PATIENCE_MS * MS;
	unsigned want = r->n_status + n;

	while (r->n_status < want) {
		cr_assert_lt(mono_ns(), end, "no status came");
		ev_run(r->loop, EVRUN_ONCE);
	}
}

void rig_make_packets(uint8_t *ret, size_t first, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = ret + i * TS_PACKET;
		size_t number = first + i;

		memset(p, (int)(number * 31 & 0xff), TS_PACKET);
		p[0] = TS_SYNC_BYTE;
		p[1] = 0x01;
		p[2] = 0x00;
		p[3] = (uint8_t)(0x10 | (number & 15));
		memcpy(p + 4, &number, sizeof number);
	}
}
