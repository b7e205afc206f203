/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives the datagrams of one address: socket, membership, interface,
 * senders.
 *
 * Owns the socket, the watch of its interface, and receive memory.  Embedded;
 * zeroed memory is a closed flow.
 *
 * Inter-arrival times cost the kernel a time stamp per datagram, so they are
 * measured in the first second, then in one of UDP_MEASURE_S seconds, and in
 * every second while the API requests them.
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
	UDP_ASKED_S = 30, /* a request keeps the measurement on for this time */
};

struct netif_watch;

struct udp_flow {
	struct udp_place place;
	/* interval of renewals of the membership; 0: never */
	unsigned renew_s;
	int fd;                  /* valid while receiver is not NULL */
	unsigned ifindex;
	bool asked_for;          /* the group needs an IGMP or MLD querier */
	/* watches a named interface, or the route to a group; or NULL */
	struct netif_watch *netif;
	/* why the interface cannot be used; "": it can be used */
	struct errmsg error;
	bool large; /* the buffer of the socket, see udp_socket_is_large() */
	bool full;  /* the last read ended at its bound */
	struct receiver *receiver;
	uint64_t last_packet_ns; /* time of the last packet or the opening */
	uint64_t renewed_ns;
	struct sockaddr_any source; /* address of the last sender */
	struct sockaddr_any before; /* address of the sender before `source' */
	/* changes of the sender: since init, and at the last second */
	uint64_t source_changes, seen_changes;
	uint64_t drops_before; /* drops of sockets that are now closed */

	struct iat_in *iat; /* measures arrivals; NULL: not in this second */
	/* the report of the last measured second */
	struct iat_in_report iat_report;
	/* time of the last request for the report, which starts measuring for
	 * UDP_ASKED_S; 0: no request yet */
	uint64_t asked_ns;
	unsigned seconds;          /* seconds since the opening */
	/* text that names two senders which alternated in the last second */
	struct errmsg senders;
};

/* Sets the place from the address of a udp or rtp input. */
void udp_flow_describe(struct udp_flow *, const struct input_spec *);

/* Opens a flow after udp_flow_describe().  0, or -errno with error. */
int udp_flow_open(struct udp_flow *, uint64_t now_ns,
		  struct errmsg *error) MUST_CHECK;

/* Closes the flow; it keeps its counters and may be opened again. */
void udp_flow_close(struct udp_flow *);

static inline bool udp_flow_is_open(const struct udp_flow *f)
{
	return f->receiver != NULL;
}

/* Is the interface of the flow down, or gone? */
static inline bool udp_flow_is_cut_off(const struct udp_flow *f)
{
	return udp_flow_is_open(f) && f->error.text[0] != '\0';
}

/*
 * Reads the datagrams that wait, up to a bound.  on_read is called after each
 * system call that received datagrams, before their memory is used again.
 * Returns the number of such system calls, or -errno with error.
 */
struct udp_reader {
	receiver_fn *on_received;
	void (*on_read)(void *arg);
	void *arg;
};
int udp_flow_read(struct udp_flow *, const struct udp_reader *,
		  uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Is the flow roomy, as input_is_roomy() describes it? */
static inline bool udp_flow_is_roomy(const struct udp_flow *f)
{
	return udp_flow_is_open(f) && f->large && !f->full;
}

/* Maintains membership and memory.  Waits for an interface that is down or
 * gone; opens another socket, with another fd, on an interface that replaced it
 * or to which the route of a group leads now.  0, or -errno with error: the
 * flow must be opened again. */
int udp_flow_every_second(struct udp_flow *, uint64_t now_ns,
			  struct errmsg *error) MUST_CHECK;

/* Writes the interface (its index) on which the group needs a querier, while it
 * is up. */
void udp_flow_stats(const struct udp_flow *, struct link_stats *ret);

/* The number of datagrams that full sockets dropped since
 * udp_flow_describe(). */
uint64_t udp_flow_drops(const struct udp_flow *);
