/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one other side of an srt:// address: called, met, or waited for.
 *
 * Goes through name, call and handshake at the ticks of the data path.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/net/curl/resolver.h"
#include "worker/net/srt/srt_socket.h"

/* Embedded. */
struct srt_peer {
	const struct srt_spec *spec; /* borrowed */
	enum srt_direction direction;
	struct resolver *resolver;  /* NULL when the call is out */
	struct srt_listener listener;
	SRTSOCKET socket;   /* or SRT_INVALID_SOCK */
	bool connected;
	/* The library does not know whom it called. */
	struct sockaddr_any other;
	char peer[SOCKADDR_TEXT_MAX]; /* while connected; else "" */
	/* The owner's word that nothing came of late: who calls then takes the
	 * place of one that may be dead and not know it. */
	bool idle;
	bool taken_over;    /* ... and it was: not told yet */
	struct ratelimit log;
	unsigned connects, told_connects; /* to the statistics */
};

/* 0, or -errno with why; done in both cases. */
int srt_peer_open(struct srt_peer *, const struct srt_spec *,
		  enum srt_direction, struct errmsg *error) MUST_CHECK;
void srt_peer_done(struct srt_peer *);

/* 1 while connected; 0 while not; -errno with why: it is to be opened anew.
 * A listener that loses its caller waits for the next one. */
int srt_peer_turn(struct srt_peer *, struct errmsg *error) MUST_CHECK;

/* Once a second: what is known of the connection. */
void srt_peer_every_second(struct srt_peer *, struct link_stats *);

/* Who is at the other end; NULL: nobody. */
const char *srt_peer_name(const struct srt_peer *);

/* Why nothing can go; NULL: it can. */
const char *srt_peer_error(const struct srt_peer *);
