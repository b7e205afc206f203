/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One socket of libsrt, made as an address asks for it.
 *
 * Nothing here waits; libsrt's own threads do the work.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "proto/spec/link_stat.h"
#include "proto/spec/srt_spec.h"
#include "worker/net/refusal_log.h"
#include "worker/net/srt/srt_calls.h"
#include "worker/net/srt/srt_place.h"

#include <srt/access_control.h>
#include <srt/srt.h>

enum srt_direction { SRT_RECEIVES, SRT_SENDS };

/* Before each socket, or listener; the library is there from then on, until the
 * process ends. */
void srt_library_open(void);

/* Not connected yet; SRT_INVALID_SOCK with *ret_err = -errno and why. */
SRTSOCKET srt_socket_new(const struct srt_spec *, enum srt_direction,
			 int *ret_err, struct errmsg *error);
void srt_socket_close(SRTSOCKET *);

/* A socket that waits for callers.  Embedded. */
struct srt_listener {
	SRTSOCKET socket; /* SRT_INVALID_SOCK: none */
	struct srt_place place; /* of one on an interface */
	int epoll;
	const struct srt_spec *spec;
	struct srt_calls *calls;
	unsigned n_refused;       /* to the statistics */
	struct errmsg refused; /* the last of them ... */
	uint64_t refused_ms;   /* ... and when */
	struct refusal_log log;
};

/* Begins to listen; with a stream id, callers with another one are refused.
 * The specification is borrowed for the life of the listener.  0, or -errno
 * with why; closed then. */
int srt_listener_open(struct srt_listener *, const struct srt_spec *,
		      enum srt_direction, struct errmsg *error) MUST_CHECK;
void srt_listener_close(struct srt_listener *);

/* The next caller and his address, or SRT_INVALID_SOCK. */
SRTSOCKET srt_listener_accept(struct srt_listener *,
			      struct sockaddr_any *ret_peer);

/* Counts and logs, within a limit, that a caller was sent away: the same of the
 * same one is told once in a minute, and its count when that is over. */
void srt_listener_refuse(struct srt_listener *,
			 const struct sockaddr_any *from, const char *error);

/* Once a second: follows its interface; what is counted, with those whom the
 * library sent away. */
void srt_listener_second(struct srt_listener *, struct link_stats *);

/* What is wrong with its interface, or who was sent away of late; NULL: all is
 * well. */
const char *srt_listener_trouble(const struct srt_listener *);

/* Begins to call, or to meet. */
int srt_socket_call(SRTSOCKET, const struct srt_spec *,
		    const struct sockaddr_any *remote,
		    struct errmsg *error) MUST_CHECK;

/* 1: connected; 0: not yet; -errno with why: broken, or refused. */
int srt_socket_poll(SRTSOCKET, struct errmsg *error) MUST_CHECK;
