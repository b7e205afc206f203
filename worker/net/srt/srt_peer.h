/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only peer of an srt:// address: a peer that Sluice calls, a rendezvous
 * partner, or the caller of a listener.
 *
 * At the ticks of the data path, it resolves the name, calls and connects.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/net/curl/resolver.h"
#include "worker/net/srt/srt_socket.h"

/* Embedded. */
struct srt_peer {
	const struct srt_spec *spec; /* borrowed */
	enum srt_direction direction;
	/* NULL: the link listens, the peer has connected, or all addresses of
	 * the name failed */
	struct resolver *resolver;
	struct srt_listener listener;
	SRTSOCKET socket;   /* SRT_INVALID_SOCK: none */
	bool connected;
	/* Address of the peer.  libsrt does not return that of a called
	 * peer. */
	struct sockaddr_any other;
	/* address as a text while connected; otherwise "" */
	char peer[SOCKADDR_TEXT_MAX];
	/* The owner sets it while no data arrives.  A new caller then replaces
	 * the peer, whose connection may be dead. */
	bool idle;
	bool taken_over;    /* another caller has replaced the peer; not logged
			     * yet */
	/* error while a listener waits: the last event and its time */
	struct errmsg waiting;
	struct ratelimit log;
	/* connects: total number of connections; reported_connects: how many of
	 * them are in the statistics */
	unsigned connects, reported_connects;
};

/* Starts to listen, or to resolve and call the peer.  0: the caller must use
 * srt_peer_done(); -errno with error: everything is closed again. */
int srt_peer_open(struct srt_peer *, const struct srt_spec *,
		  enum srt_direction, struct errmsg *error) MUST_CHECK;
void srt_peer_done(struct srt_peer *);

/* Continues the connection.  1: connected; 0: not connected; -errno with error:
 * the peer must be opened again.  A listener that loses its caller returns 0
 * and waits for the next one. */
int srt_peer_turn(struct srt_peer *, struct errmsg *error) MUST_CHECK;

/* Updates the statistics of the connection. */
void srt_peer_every_second(struct srt_peer *, struct link_stats *);

/* Address of the connected peer; NULL: not connected. */
const char *srt_peer_name(const struct srt_peer *);

/* Error of a peer that is not connected; NULL: it is connected.  For a
 * listener, the error names the last event: a refused call, or the end of the
 * last connection. */
const char *srt_peer_error(const struct srt_peer *);
