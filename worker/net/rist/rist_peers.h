/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the peers of a RIST link: called peers and callers.
 *
 * librist creates a peer for each source address and keeps it for seconds. This
 * list bounds them, in all and for each host. Senders are bounded at each local
 * port, because each path of a sender is another peer, and in the simple
 * profile each half of a path. In the simple profile librist merges the data of
 * all senders of a port into one stream, so a port belongs to one host while
 * that is active.
 *
 * Filled in librist's threads, read in the worker's.
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
	RIST_SENDERS_MAX = 16, /* at one local port */
	RIST_RECEIVERS_MAX = 128,
	/* Limits for one host. */
	RIST_SENDERS_OF_HOST_MAX = 8,
	RIST_RECEIVERS_OF_HOST_MAX = 32,
	RIST_KNOWN_MAX = 2 * RIST_PEERS_MAX * RIST_SENDERS_MAX,
};

_Static_assert(RIST_RECEIVERS_MAX <= (int)RIST_KNOWN_MAX, "no place");

enum rist_peers_flag {
	RIST_PEERS_SEND = 1, /* receives: senders are bounded at each port */
	/* a port belongs to the host that is active there */
	RIST_PEERS_OWN_PORTS = 2,
};

struct rist_known {
	struct rist_peer *peer;
	bool called;       /* called by Sluice */
	size_t path;        /* index of the path */
	bool up;           /* it answers */
	uint64_t came_ms;
	uint64_t active_ms; /* last data taken; 0: never */
	uint16_t port;     /* local port */
	char host[SOCKADDR_TEXT_MAX];
	/* address, with the port of a called peer */
	char at[SOCKADDR_TEXT_MAX];
};

/* Embedded. */
struct rist_peers {
	pthread_mutex_t lock;
	size_t max, of_host_max;
	unsigned flags;
	bool closed; /* no caller is admitted */
	struct sockaddr_any own[RIST_PEERS_MAX]; /* where each path listens */
	size_t n;
	struct rist_known list[RIST_KNOWN_MAX];
	/* refusals since rist_peers_take_refused(), and the last of them */
	unsigned refused;
	struct errmsg refusal;
};

void rist_peers_init(struct rist_peers *, size_t max, size_t of_host_max,
		     unsigned flags);
void rist_peers_done(struct rist_peers *);

/* Notes where this path listens; in the simple profile also at the next
 * port. */
void rist_peers_wait(struct rist_peers *, size_t path,
		     const struct sockaddr_any *at);

/* Closes or opens the link for callers.  closed: no further caller is admitted,
 * because callers need a permission, for which RIST has no way to ask.
 * Connected peers stay. */
void rist_peers_close(struct rist_peers *, bool closed);

/* Decides about a peer that connects, as the callback of
 * rist_auth_handler_set(); arg is the struct.  0: admitted; -1: rejected. */
int rist_peers_on_connect(void *arg, const char *host, uint16_t port,
			  const char *local_host, uint16_t local_port,
			  struct rist_peer *);
int rist_peers_on_gone(void *arg, struct rist_peer *);

/* Adds a called peer; path < 32. */
void rist_peers_add(struct rist_peers *, struct rist_peer *, size_t path,
		    const struct sockaddr_any *at);
void rist_peers_state(struct rist_peers *, const struct rist_peer *, bool up);

/* Notes that data of this peer was taken. */
void rist_peers_received(struct rist_peers *, const struct rist_peer *,
			 uint64_t now_ms);

/* The index of the peer's path; 0 also if the peer is unknown. */
size_t rist_peers_path(struct rist_peers *, const struct rist_peer *);

/* Writes the address of a peer into at[SOCKADDR_TEXT_MAX]; "?": unknown. */
void rist_peers_format_one(struct rist_peers *, const struct rist_peer *,
			   char *at);

/* Number of rejected peers since the last call; error describes one of them. */
unsigned rist_peers_take_refused(struct rist_peers *, struct errmsg *error);

/* Lists the peers that answer, or that have delivered data since a time,
 * separated by commas and cut to size. Omits called peers of the paths in the
 * bit set. */
void rist_peers_format(struct rist_peers *, uint64_t active_since_ms,
		       unsigned without_paths, char *text, size_t size);
