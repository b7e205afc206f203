/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens and configures sockets of libsrt according to an address.
 *
 * No function blocks; libsrt's own threads do the work.
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

/* Call before each socket or listener. libsrt stays initialised until the
 * process ends. */
void srt_library_open(void);

/* A socket that is not connected; SRT_INVALID_SOCK with *ret_err = -errno and
 * error. */
SRTSOCKET srt_socket_new(const struct srt_spec *, enum srt_direction,
			 int *ret_err, struct errmsg *error);
void srt_socket_close(SRTSOCKET *);

#define SRT_WAITING "waiting for a caller"
#define SRT_BAD_STREAMID "its stream id is not a valid request for a stream"

/* A listening socket. Embedded. */
struct srt_listener {
	SRTSOCKET socket; /* SRT_INVALID_SOCK: none */
	struct srt_place place; /* open if an interface is given */
	int epoll;
	const struct srt_spec *spec;
	struct srt_calls *calls;
	/* Callers need a permission, so their stream id has to be valid. */
	_Atomic bool judges;
	unsigned n_refused;       /* since the last statistics */
	struct errmsg refusal; /* the last refusal and its time */
	uint64_t refused_ms;   /* the last refusal; 0: none */
	struct refusal_log refusal_log;
};

/* Starts to listen. Rejects callers with wrong stream id, if one is given, and
 * with `judges' those that want anything but the stream (srt_streamid.h).
 * Borrows the specification for the life of the listener. 0, or -errno with
 * error; closed after an error. */
int srt_listener_open(struct srt_listener *, const struct srt_spec *,
		      enum srt_direction, struct errmsg *error) MUST_CHECK;
void srt_listener_close(struct srt_listener *);

/* The next caller and its address, or SRT_INVALID_SOCK. */
SRTSOCKET srt_listener_accept(struct srt_listener *,
			      struct sockaddr_any *ret_peer);

/* Counts a refused caller and logs it, see refusal_log.h. A refusal is not an
 * error of the listener, which waits for the next caller. */
void srt_listener_refuse(struct srt_listener *,
			 const struct sockaddr_any *from, const char *error);

/* Counts and logs the calls that failed or were refused, by libsrt or by
 * Sluice.  Call it after the last accept. */
void srt_listener_take_refused(struct srt_listener *);

/* Follows the interface and updates the statistics, including calls that libsrt
 * refused. */
void srt_listener_every_second(struct srt_listener *, struct link_stats *);

/* Error of the interface; NULL: none. */
const char *srt_listener_error(const struct srt_listener *);

/* The last refused call, for half a minute: "waiting for a caller; call of
 * 192.0.2.1 refused at 2026-11-23 23:40:12: REASON"; NULL: none. */
const char *srt_listener_refusal(const struct srt_listener *);

/* Starts a call or a rendezvous.  0, or -errno with error. */
int srt_socket_call(SRTSOCKET, const struct srt_spec *,
		    const struct sockaddr_any *remote,
		    struct errmsg *error) MUST_CHECK;

/* Follows a call.  1: connected; 0: connecting; -errno with error: broken or
 * refused. */
int srt_socket_poll(SRTSOCKET, struct errmsg *error) MUST_CHECK;
