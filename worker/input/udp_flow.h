/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What arrives at one address: the socket, its membership and who sends.
 *
 * Owns the socket, what watches its interface, and receive memory.  Embedded;
 * zeroed memory is a flow that is not open.
 *
 * How datagrams arrive costs the kernel a time stamp each, so it is measured
 * in one second of UDP_MEASURE_S; in all of them while somebody asks.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/link_stat.h"
#include "worker/input/iat_in.h"
#include "worker/input/receiver.h"
#include "worker/socket/receive_socket.h"

enum {
	UDP_MEASURE_S = 10,
	UDP_ASKED_S = 30, /* so long one question keeps it going */
};

struct netif_watch;

struct udp_flow {
	struct udp_place place;
	unsigned renew_s;        /* 0 = never */
	int fd;                  /* valid while receiver is not NULL */
	unsigned ifindex;
	bool asked_for;          /* a querier asks whether it is wanted */
	/* of a named interface, or of the route to a group; or NULL */
	struct netif_watch *netif;
	struct errmsg trouble;   /* of the interface; "" when it is well */
	struct receiver *receiver;
	uint64_t last_packet_ns; /* or since when nothing came */
	uint64_t renewed_ns;
	struct sockaddr_any source; /* the last sender ... */
	struct sockaddr_any before; /* ... and the one that was it before */
	uint64_t source_changes, told_changes;
	uint64_t drops_before; /* of sockets that were closed */

	/* how they arrive, measured now and then */
	struct arrivals *arrivals; /* NULL: not now */
	struct arrivals_report arrived; /* when it was last measured */
	uint64_t asked_ns;         /* somebody wants to know; 0: nobody */
	unsigned seconds;          /* since the opening */
	struct errmsg senders;     /* two, in the last second; "" */
};

/* From an address of udp or rtp. */
void udp_flow_describe(struct udp_flow *, const struct input_spec *);

/* It was described. 0, or -errno with why. */
int udp_flow_open(struct udp_flow *, uint64_t now_ns,
		  struct errmsg *why) MUST_CHECK;

/* It may be opened again; what was counted stays. */
void udp_flow_close(struct udp_flow *);

static inline bool udp_flow_is_open(const struct udp_flow *f)
{
	return f->receiver != NULL;
}

/* Is its interface down, or gone? */
static inline bool udp_flow_is_cut_off(const struct udp_flow *f)
{
	return udp_flow_is_open(f) && f->trouble.text[0] != '\0';
}

/*
 * Takes what is there, at most a bounded part.  on_read: after each system
 * call that brought something, before its memory is used again.  The number of
 * those, or -errno with why.
 */
struct udp_reader {
	receiver_fn *on_received;
	void (*on_read)(void *arg);
	void *arg;
};
int udp_flow_read(struct udp_flow *, const struct udp_reader *,
		  uint64_t now_ns, struct errmsg *why) MUST_CHECK;

/* Once a second: membership and memory.  An interface that is down, or gone, is
 * waited for; one that came in its place, or to which the route of a group
 * leads now, gets another socket, so that fd may be another one.  0, or -errno
 * with why: it is to be opened again. */
int udp_flow_second(struct udp_flow *, uint64_t now_ns,
		    struct errmsg *why) MUST_CHECK;

/* How datagrams arrived in the last second in which that was measured; it is
 * from now on for a while.  at_ns is 0 before. */
const struct arrivals_report *udp_flow_arrivals(struct udp_flow *,
						uint64_t now_ns);

/* Where it hears its group, when that is on a network that is up. */
void udp_flow_stats(const struct udp_flow *, struct link_stats *ret);

/* Datagrams that its sockets had no room for, since it was described. */
uint64_t udp_flow_drops(const struct udp_flow *);
