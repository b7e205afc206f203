/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of the peers of a RIST link: peers that Sluice calls, and callers.
 *
 * librist creates a peer for each source address and keeps it for seconds.
 * This list limits their number, in total and for each host.  Senders are
 * limited at each local port, because each path of a sender is a separate peer;
 * in the simple profile, each half of a path (RTP, RTCP) is.  In the simple
 * profile librist merges the data of all senders to a port into one stream, so
 * a port belongs to one host while that host is active.
 *
 * librist's threads write the list; the worker's thread reads it.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "proto/spec/rist_spec.h"

#include <librist/librist.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RIST_SENDERS_MAX = 16, /* limit at one local port */
	RIST_RECEIVERS_MAX = 128,
	/* Limits for one host. */
	RIST_SENDERS_OF_HOST_MAX = 8,
	RIST_RECEIVERS_OF_HOST_MAX = 32,
	RIST_KNOWN_MAX = 2 * RIST_PEERS_MAX * RIST_SENDERS_MAX,
};

_Static_assert(RIST_RECEIVERS_MAX <= (int)RIST_KNOWN_MAX, "no place");

enum rist_peers_flag {
	RIST_PEERS_SEND = 1, /* the link receives: senders are limited at each
			      * port */
	/* a port belongs to the host that is active at it */
	RIST_PEERS_OWN_PORTS = 2,
};

struct rist_known {
	struct rist_peer *peer;
	bool called;       /* a peer that Sluice calls */
	size_t path;        /* index of the path */
	bool up;           /* the peer answers */
	uint64_t came_ms;
	uint64_t active_ms; /* time when data was last taken from the peer; 0:
			     * never */
	uint16_t port;     /* local port that the peer has called */
	char host[SOCKADDR_TEXT_MAX];
	/* address; with the port if Sluice calls the peer */
	char at[SOCKADDR_TEXT_MAX];
};

/* Embedded. */
struct rist_peers {
	pthread_mutex_t lock;
	size_t max, of_host_max;
	unsigned flags;
	bool closed; /* no further caller is admitted */
	/* address at which each path listens */
	struct sockaddr_any own[RIST_PEERS_MAX];
	size_t n;
	struct rist_known list[RIST_KNOWN_MAX];
	/* refused: refused calls since rist_peers_take_refused(); refusal: the
	 * last of them */
	unsigned refused;
	struct errmsg refusal;
};

void rist_peers_init(struct rist_peers *, size_t max, size_t of_host_max,
		     unsigned flags);
void rist_peers_done(struct rist_peers *);

/* Notes the address at which this path listens; in the simple profile it also
 * listens at the next port. */
void rist_peers_wait(struct rist_peers *, size_t path,
		     const struct sockaddr_any *at);

/* Closes or opens the link for callers.  closed: no further caller is admitted,
 * because callers need a permission, and RIST cannot transmit a credential.
 * Connected peers stay. */
void rist_peers_close(struct rist_peers *, bool closed);

/* Decides whether a peer that connects is admitted.  A callback of
 * rist_auth_handler_set(); arg: the struct rist_peers.  0: admitted; -1:
 * rejected. */
int rist_peers_on_connect(void *arg, const char *host, uint16_t port,
			  const char *local_host, uint16_t local_port,
			  struct rist_peer *);
int rist_peers_on_gone(void *arg, struct rist_peer *);

/* Adds a called peer; path < 32. */
void rist_peers_add(struct rist_peers *, struct rist_peer *, size_t path,
		    const struct sockaddr_any *at);
void rist_peers_state(struct rist_peers *, const struct rist_peer *, bool up);

/* Notes that data of this peer was taken at now_ms. */
void rist_peers_received(struct rist_peers *, const struct rist_peer *,
			 uint64_t now_ms);

/* The index of the peer's path; 0 also if the peer is unknown. */
size_t rist_peers_path(struct rist_peers *, const struct rist_peer *);

/* Writes the address of a peer into at[SOCKADDR_TEXT_MAX]; "?": unknown. */
void rist_peers_format_one(struct rist_peers *, const struct rist_peer *,
			   char *at);

/* Returns the number of rejected peers since the last call; *error describes
 * the last one. */
unsigned rist_peers_take_refused(struct rist_peers *, struct errmsg *error);

/* Lists the peers, separated by commas and cut to size.  active_since_ms 0:
 * those that answer; otherwise those that have delivered data since that time.
 * without_paths: bits of paths whose called peers are omitted. */
void rist_peers_format(struct rist_peers *, uint64_t active_since_ms,
		       unsigned without_paths, char *text, size_t size);
