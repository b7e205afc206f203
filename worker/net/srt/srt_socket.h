/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens and configures libsrt sockets as an srt:// address says.
 *
 * No function blocks, because libsrt works in its own threads.
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
#include <stdatomic.h>

enum srt_direction { SRT_RECEIVES, SRT_SENDS };

/* Must be called before a socket or listener is opened.  libsrt stays
 * initialised until the process ends. */
void srt_library_open(void);

/* Makes a socket that is not connected.  SRT_INVALID_SOCK: failed with *ret_err
 * (-errno) and error. */
SRTSOCKET srt_socket_new(const struct srt_spec *, enum srt_direction,
			 int *ret_err, struct errmsg *error);
void srt_socket_close(SRTSOCKET *);

#define SRT_WAITING "waiting for a caller"
#define SRT_BAD_STREAMID "its stream id is not a valid request for a stream"

/* A listening socket. Embedded. */
struct srt_listener {
	SRTSOCKET socket; /* SRT_INVALID_SOCK: none */
	struct srt_place place; /* used only if the spec names an interface */
	int epoll;
	const struct srt_spec *spec;
	struct srt_calls *calls;
	/* callers need a permission, so their stream id must be a valid
	 * request */
	_Atomic bool judges;
	/* number of refused calls since the last statistics */
	unsigned n_refused;
	struct errmsg refusal; /* text about the last refused call, with its
				* time */
	uint64_t refused_ms;   /* monotonic time of the last refused call; 0:
				* none */
	struct refusal_log refusal_log;
};

/* Starts to listen.  Rejects callers with another stream id than that of the
 * spec, if it has one.  With `judges', also rejects callers whose stream id is
 * not a valid request for a stream (srt_streamid.h).  Borrows the spec for the
 * life of the listener.  0, or -errno with error: the listener is closed. */
int srt_listener_open(struct srt_listener *, const struct srt_spec *,
		      enum srt_direction, struct errmsg *error) MUST_CHECK;
void srt_listener_close(struct srt_listener *);

/* Accepts the next caller and writes its address; SRT_INVALID_SOCK: there is
 * none. */
SRTSOCKET srt_listener_accept(struct srt_listener *,
			      struct sockaddr_any *ret_peer);

/* Counts and logs a refused caller (refusal_log.h).  This is not an error of
 * the listener, which waits for the next caller. */
void srt_listener_refuse(struct srt_listener *,
			 const struct sockaddr_any *from, const char *error);

/* Counts and logs the calls that failed, or that libsrt or Sluice refused.  To
 * be called after the last srt_listener_accept(). */
void srt_listener_take_refused(struct srt_listener *);

/* Follows a change of the interface, and adds the refused calls to the
 * statistics. */
void srt_listener_every_second(struct srt_listener *, struct link_stats *);

/* Error of the interface; NULL: none. */
const char *srt_listener_error(const struct srt_listener *);

/* Text about the last refused call, for half a minute after it: "waiting for a
 * caller; call of 192.0.2.1 refused at 2026-11-23 23:40:12: REASON"; NULL:
 * none. */
const char *srt_listener_refusal(const struct srt_listener *);

/* Starts a call or a rendezvous.  0, or -errno with error. */
int srt_socket_call(SRTSOCKET, const struct srt_spec *,
		    const struct sockaddr_any *remote,
		    struct errmsg *error) MUST_CHECK;

/* The state of a call.  1: connected; 0: connecting; -errno with error: it is
 * broken or was refused. */
int srt_socket_poll(SRTSOCKET, struct errmsg *error) MUST_CHECK;
