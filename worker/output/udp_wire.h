/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One socket that datagrams are sent to.
 *
 * Owns it.  What cannot be sent is counted and forgotten.  Embedded; zeroed
 * memory is a wire that is not open.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"
#include "worker/rtp/datagrams.h"
#include "worker/output/departure_plan.h"
#include "worker/output/iat_out.h"

struct udp_wire {
	bool open;
	int fd;
	bool segments;        /* the kernel cuts datagrams for us ... */
	bool timed;           /* ... or sends each when it is due */
	struct departure_plan plan;
	uint64_t packets;     /* sent ... */
	uint64_t counted;     /* ... and what its owner knows of them */
	uint64_t sent_before; /* packets a second ago */
	int hard_err;         /* the last of its kind since then, or 0 */
	unsigned ifindex;     /* of the interface that is named, or 0 */
	bool unsure;          /* could not look where it is to send from */
};

/* 0, or -errno with why; datagram: bytes of a full one of many, 0 when they go
 * one by one. */
int udp_wire_open(struct udp_wire *, const struct output_spec *,
		  size_t datagram, struct errmsg *why) MUST_CHECK;

/* What was counted stays. */
void udp_wire_close(struct udp_wire *);

/* On an open one; one that goes alone counts as a packet.  When they leave is
 * noted; NULL: by another wire. */
void udp_wire_send(struct udp_wire *, struct datagrams *,
		   struct departures *);
void udp_wire_send_one(struct udp_wire *, const struct iovec *, size_t n);

/* After addresses, interfaces or routes changed: 1 when it was opened anew, by
 * the specification of the opening, since the kernel sends from another place
 * now; 0: it need not be, or we lack what it takes to look: it is unsure then,
 * and the next call tells.  -errno with why: there is no way; it stays open. */
int udp_wire_follow(struct udp_wire *, const struct output_spec *,
		    size_t datagram, struct errmsg *why) MUST_CHECK;

/* Once a second: 0, or -errno with why when nothing at all could be sent since
 * the last call. */
int udp_wire_second(struct udp_wire *, struct errmsg *why) MUST_CHECK;
