/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The single peer of an srt:// address: a called one, a rendezvous partner, or
 * the caller of a listener.
 *
 * Resolves the name, calls and connects at the ticks of the data path.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/net/curl/resolver.h"
#include "worker/net/srt/srt_socket.h"

/* Embedded. */
struct srt_peer {
	const struct srt_spec *spec; /* borrowed */
	enum srt_direction direction;
	struct resolver *resolver;  /* NULL: connected, or no address is left */
	struct srt_listener listener;
	SRTSOCKET socket;   /* SRT_INVALID_SOCK: none */
	bool connected;
	/* libsrt does not return the called address. */
	struct sockaddr_any other;
	char peer[SOCKADDR_TEXT_MAX]; /* while connected; else "" */
	/* Set by the owner while no data arrives: a new caller then replaces
	 * the peer, whose connection may be dead. */
	bool idle;
	bool taken_over;    /* replaced the peer, not reported yet */
	/* why a listener waits: the last event and its time */
	struct errmsg waiting;
	struct ratelimit log;
	/* total; the part that is in the statistics */
	unsigned connects, reported_connects;
};

/* Starts to listen, or to resolve and call the peer.  0: the caller ends it
 * with srt_peer_done(); or -errno with error, and it is closed. */
int srt_peer_open(struct srt_peer *, const struct srt_spec *,
		  enum srt_direction, struct errmsg *error) MUST_CHECK;
void srt_peer_done(struct srt_peer *);

/* Continues the connection.  1: connected; 0: not connected; -errno with error:
 * open again.  A listener that loses its caller waits for the next one. */
int srt_peer_turn(struct srt_peer *, struct errmsg *error) MUST_CHECK;

/* Updates the statistics of the connection. */
void srt_peer_every_second(struct srt_peer *, struct link_stats *);

/* Address of the connected peer; NULL: not connected. */
const char *srt_peer_name(const struct srt_peer *);

/* Error of a peer that is not connected; NULL: connected. A listener names its
 * last event, a refused call or the end of its last connection. */
const char *srt_peer_error(const struct srt_peer *);
