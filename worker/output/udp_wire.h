/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends datagrams to a destination.
 *
 * Owns the socket.  Datagrams that cannot be sent are dropped, and not in the
 * count of packets.  Embedded; zeroed memory is a closed wire.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"
#include "worker/output/departure_plan.h"
#include "worker/output/iat_out.h"
#include "worker/rtp/datagrams.h"

struct udp_wire {
	bool open;
	int fd;
	bool segments;        /* the kernel splits datagrams (UDP_SEGMENT) */
	bool timed;           /* the kernel sends at planned times */
	struct departure_plan plan;
	uint64_t packets;     /* packets sent */
	uint64_t counted;     /* packets that the owner has counted */
	uint64_t sent_before; /* packets sent up to the last second */
	int hard_err;         /* last socket error of this second, or 0 */
	unsigned ifindex;     /* index of the configured interface, or 0 */
	bool unsure;          /* the source address could not be checked */
};

/* Opens the wire.  0, or -errno with error.  datagram: bytes of a full
 * datagram; 0: datagrams are sent one by one. */
int udp_wire_open(struct udp_wire *, const struct output_spec *,
		  size_t datagram, struct errmsg *error) MUST_CHECK;

/* Closes the socket and keeps the counters. */
void udp_wire_close(struct udp_wire *);

/* Sends on an open wire, and adds the times of sending to the histogram.  NULL:
 * no histogram, because another wire measures. */
void udp_wire_send(struct udp_wire *, struct datagrams *, struct iat_out *);
/* Sends one datagram, which counts as one packet. */
void udp_wire_send_one(struct udp_wire *, const struct iovec *, size_t n);

/* After addresses, interfaces or routes changed: 1: reopened by the same
 * specification, because the source address changed; 0: no change, or unsure,
 * because this process lacks a resource: call it again; -errno with error: no
 * route, and the wire stays open. */
int udp_wire_follow(struct udp_wire *, const struct output_spec *,
		    size_t datagram, struct errmsg *error) MUST_CHECK;

/* Once a second: 0, or -errno with error if sending has failed, and no packet
 * was sent, since the last call. */
int udp_wire_every_second(struct udp_wire *, struct errmsg *error) MUST_CHECK;
