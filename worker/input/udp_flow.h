/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives the datagrams of one address: socket, membership, interface,
 * senders.
 *
 * Owns the socket, the watch of its interface, and receive memory.  Embedded;
 * zeroed memory is a closed flow.
 *
 * Inter-arrival times cost the kernel a time stamp per datagram, so they are
 * measured in one second of UDP_MEASURE_S; in all seconds while they are
 * requested.
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
	UDP_ASKED_S = 30, /* how long a request keeps the measuring on */
};

struct netif_watch;

struct udp_flow {
	struct udp_place place;
	unsigned renew_s;        /* 0 = never */
	int fd;                  /* valid while receiver is not NULL */
	unsigned ifindex;
	bool asked_for;          /* its group needs a querier */
	/* watches a named interface, or the route to a group; or NULL */
	struct netif_watch *netif;
	struct errmsg error;   /* why its interface cannot be used; "" */
	struct receiver *receiver;
	uint64_t last_packet_ns; /* or when it was opened */
	uint64_t renewed_ns;
	struct sockaddr_any source; /* the last sender ... */
	struct sockaddr_any before; /* ... and the one before it */
	uint64_t source_changes, seen_changes;
	uint64_t drops_before; /* drops of sockets that are closed */

	struct iat_in *iat; /* NULL: not measured in this second */
	struct iat_in_report iat_report; /* the last measured second */
	/* the last request for it, which starts measuring for UDP_ASKED_S; 0:
	 * never */
	uint64_t asked_ns;
	unsigned seconds;          /* since the opening */
	struct errmsg senders;     /* two senders in the last second; "" */
};

/* From an address of udp or rtp. */
void udp_flow_describe(struct udp_flow *, const struct input_spec *);

/* Of a described flow.  0, or -errno with error. */
int udp_flow_open(struct udp_flow *, uint64_t now_ns,
		  struct errmsg *error) MUST_CHECK;

/* The flow may be opened again and keeps its counters. */
void udp_flow_close(struct udp_flow *);

static inline bool udp_flow_is_open(const struct udp_flow *f)
{
	return f->receiver != NULL;
}

/* Is its interface down, or gone? */
static inline bool udp_flow_is_cut_off(const struct udp_flow *f)
{
	return udp_flow_is_open(f) && f->error.text[0] != '\0';
}

/*
 * Reads the datagrams that wait, up to a bound.  on_read: after each system
 * call with datagrams, before its memory is used again.  The number of such
 * calls, or -errno with error.
 */
struct udp_reader {
	receiver_fn *on_received;
	void (*on_read)(void *arg);
	void *arg;
};
int udp_flow_read(struct udp_flow *, const struct udp_reader *,
		  uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Maintains membership and memory.  Waits for an interface that is down or
 * gone; opens another socket, with another fd, on an interface that replaced it
 * or to which the route of a group leads now.  0, or -errno with error: the
 * flow must be opened again. */
int udp_flow_every_second(struct udp_flow *, uint64_t now_ns,
			  struct errmsg *error) MUST_CHECK;

/* The interface of its group, while it is up. */
void udp_flow_stats(const struct udp_flow *, struct link_stats *ret);

/* Datagrams that full sockets dropped, since it was described. */
uint64_t udp_flow_drops(const struct udp_flow *);
