/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The UDP sockets of a SAT>IP session: RTP on a port, RTCP on the next one. */
#pragma once

#include "worker/input/udp_flow.h"

/* A zeroed struct has no sockets. */
struct satip_ports {
	struct udp_flow media, reports;
	/* address from which the server sends, as it announced; len 0: not
	 * announced */
	struct sockaddr_any source;
};

/* Opens the sockets at a local address with the port of RTP, or joins a
 * multicast group; of a group, only packets of `source' if it is known.  0, or
 * -errno with error. */
int satip_ports_open(struct satip_ports *, const struct sockaddr_any *local,
		     uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Opens the sockets at two free ports; *ret: the port of RTP.  0, or -errno
 * with error. */
int satip_ports_choose(struct satip_ports *, int family, uint64_t now_ns,
		       uint16_t *ret, struct errmsg *error) MUST_CHECK;

void satip_ports_close(struct satip_ports *);
