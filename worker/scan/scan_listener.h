/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives the announcements of a protocol on sockets at each multicast
 * interface.  Reports a scan.status to the master every second: the number of
 * received datagrams, and the error of the interfaces or of the last rejected
 * datagram.
 *
 * Embedded.  Owns its timer and sockets; borrows the worker.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "worker/scan/iface_list.h"

#include <ev.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* bytes of a socket's receive buffer */
	SCAN_LISTENER_SOCKET_SIZE = 128 * 1024,
	SCAN_LISTENER_PACKET_MAX = 65536,
	/* reports to the master in one tick of 100 ms */
	SCAN_LISTENER_REPORTS_MAX = 32,
};

struct worker;
struct scan_listener;

struct scan_listener_packet {
	const struct iface *iface;
	const struct sockaddr_any *sender;
	const uint8_t *data;
	size_t len;
};

struct scan_listener_events {
	size_t n; /* number of sockets of each interface */
	/* See iface_list.open. */
	int (*open)(const struct iface *, size_t i);
	/* Takes a datagram.  0, or -errno with error: it is rejected, and
	 * counted. */
	int (*take)(struct scan_listener *, const struct scan_listener_packet *,
		    struct errmsg *error);
	/* Called in every tick, after the datagrams were taken. */
	void (*tick)(struct scan_listener *);
	/* Called every second, before the status is sent. */
	void (*second)(struct scan_listener *);
};

struct scan_listener {
	struct worker *worker;
	const struct scan_listener_events *events;
	uint64_t now_ns;
	struct iface_list sockets;
	struct errmsg error; /* error of the interfaces, or of events->second();
			      * "": none */

	/* used by scan_listener.c only */
	ev_timer tick;
	uint64_t second_ns;  /* time of the next status */
	unsigned seconds;
	uint64_t packets;
	uint64_t rejected;   /* number of rejected datagrams */
	struct errmsg last;  /* error of the last rejected datagram */
	uint8_t packet[SCAN_LISTENER_PACKET_MAX];
};

/* Starts the listener.  events->second() is called before the function
 * returns. */
void scan_listener_start(struct scan_listener *, struct worker *,
			 const struct scan_listener_events *);
void scan_listener_stop(struct scan_listener *);

/* If fd is a socket, switches GRO off, because GRO may join datagrams of
 * different senders.  Returns fd.  For events->open(). */
int scan_listener_split(int fd);
