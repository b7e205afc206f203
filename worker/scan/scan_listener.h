/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives the announcements of a protocol on sockets at each interface with
 * multicast, and reports a scan.status to the master every second: the received
 * datagrams, and the error of the interfaces or of the last rejected datagram.
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
	SCAN_LISTENER_SOCKET_SIZE = 128 * 1024, /* of the buffer of a socket */
	SCAN_LISTENER_PACKET_MAX = 65536,
	/* reports to the master in a tick (100 ms) */
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
	size_t n; /* sockets of each interface */
	/* As in iface_list. */
	int (*open)(const struct iface *, size_t i);
	/* Takes a datagram.  0, or -errno with error: it is rejected. */
	int (*take)(struct scan_listener *, const struct scan_listener_packet *,
		    struct errmsg *error);
	/* In every tick, behind the datagrams. */
	void (*tick)(struct scan_listener *);
	/* Every second, in front of the status. */
	void (*second)(struct scan_listener *);
};

struct scan_listener {
	struct worker *worker;
	const struct scan_listener_events *events;
	uint64_t now_ns;
	struct iface_list sockets;
	struct errmsg error; /* of the interfaces; "": none */

	/* scan_listener.c only */
	ev_timer tick;
	uint64_t second_ns;  /* start of the next second */
	unsigned seconds;
	uint64_t packets;
	uint64_t rejected;   /* rejected packets */
	struct errmsg last;  /* the reason of the last rejection */
	uint8_t packet[SCAN_LISTENER_PACKET_MAX];
};

/* Starts the listener, which calls the events of the first second at once. */
void scan_listener_start(struct scan_listener *, struct worker *,
			 const struct scan_listener_events *);
void scan_listener_stop(struct scan_listener *);

/* Switches off GRO if fd is a socket, because GRO joins datagrams of different
 * senders.  Returns fd.  Called by open(). */
int scan_listener_split(int fd);
