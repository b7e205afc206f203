/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip_ports.h"

#include "common/base/fd.h"

#include <errno.h>
#include <unistd.h>

enum { PORT_ATTEMPTS = 16 };

void satip_ports_close(struct satip_ports *p)
{
	udp_flow_close(&p->media);
	udp_flow_close(&p->reports);
}

static int open_flow(struct udp_flow *flow, const struct udp_place *place,
		     uint64_t now_ns, struct errmsg *error)
{
	int r;

	flow->place = *place;
	r = udp_flow_open(flow, now_ns, error);
	if (r == 0)
		receiver_name_senders(flow->receiver);
	return r;
}

int satip_ports_open(struct satip_ports *p, const struct sockaddr_any *local,
		     uint64_t now_ns, struct errmsg *error)
{
	struct udp_place place = {
		.local = *local,
		.has_source = sockaddr_is_multicast(local) &&
			      p->source.len > 0,
		.source = p->source,
	};
	int r;

	satip_ports_close(p);
	r = open_flow(&p->media, &place, now_ns, error);
	sockaddr_move_port(&place.local, 1);
	if (r == 0)
		r = open_flow(&p->reports, &place, now_ns, error);
	if (r < 0)
		satip_ports_close(p);
	return r;
}

int satip_ports_choose(struct satip_ports *p, int family, uint64_t now_ns,
		       uint16_t *ret, struct errmsg *error)
{
	struct sockaddr_any local;
	int r = sockaddr_parse(family == AF_INET6 ? "::" : "0.0.0.0", 0,
			       &local);

	for (int i = 0; r == 0 && i < PORT_ATTEMPTS; i++) {
		int fd = socket(local.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC,
				0);
		struct sockaddr_any a = local;
		uint16_t port = 0;

		/* an even port: a port that was free a moment ago, or the one
		 * below it if that port is odd */
		if (fd >= 0 && bind(fd, &a.sa, a.len) == 0 &&
		    getsockname(fd, &a.sa, &a.len) == 0)
			port = sockaddr_port(&a) & 0xfffe;
		fd_close(&fd);
		a = local;
		sockaddr_set_port(&a, port);
		if (port != 0 && satip_ports_open(p, &a, now_ns, error) == 0) {
			*ret = port;
			return 0;
		}
	}
	return errmsg_fail(error, -EADDRINUSE, "no free ports for RTP");
}
