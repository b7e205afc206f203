/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sockets of a SAT>IP session by UDP: RTP, and RTCP on the next port. */
#pragma once

#include "worker/input/udp_flow.h"

/* A zeroed struct has no sockets. */
struct satip_ports {
	struct udp_flow media, reports;
	struct sockaddr_any source; /* that the server named; len 0: none */
};

/* Opens the sockets at an address of this host, or at a group, of which the
 * source may be known.  0, or -errno with error. */
int satip_ports_open(struct satip_ports *, const struct sockaddr_any *local,
		     uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Opens the sockets at free ports; *ret is the port of RTP.  0, or -errno with
 * error. */
int satip_ports_choose(struct satip_ports *, int family, uint64_t now_ns,
		       uint16_t *ret, struct errmsg *error) MUST_CHECK;

void satip_ports_close(struct satip_ports *);
