/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A librist context for an input or an output: its peers, paths and statistics.
 *
 * librist runs in threads of its own.  Once a second the worker reads what they
 * reported.  The link starts when the first path can be opened; the other paths
 * are retried and added later.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/ratelimit.h"
#include "common/base/util.h"
#include "proto/spec/link_stat.h"
#include "proto/spec/rist_spec.h"
#include "worker/net/curl/resolver.h"
#include "worker/net/refusal_log.h"
#include "worker/net/librist/rist_guard.h"
#include "worker/net/rist/rist_peers.h"
#include "worker/net/rist/rist_events.h"
#include "worker/net/librist/rist_threads.h"
#include "worker/input/redundant_paths.h"

#include <librist/librist.h>
#include <stdatomic.h>
#include <sys/types.h>

enum rist_direction { RIST_RECEIVES, RIST_SENDS };

/* The address of one configured peer. */
struct rist_address {
	struct resolver *resolver; /* NULL: no query runs */
	struct sockaddr_any at;
};

/* Embedded; must not move. */
struct rist_link {
	const struct rist_spec *spec; /* borrowed */
	enum rist_direction direction;
	struct rist_ctx *ctx;         /* NULL: no path is open yet */
	/* a path is open if librist has its peer */
	struct redundant_paths paths;
	struct rist_address addresses[RIST_PEERS_MAX];
	_Atomic pid_t adder; /* id of the thread that adds a path; 0: none */
	atomic_bool closing; /* librist may have closed the guarded sockets */
	size_t added;        /* index of the path that is being added */
	struct rist_logging_settings logging;
	struct rist_guard guard;
	struct rist_peers peers;
	struct rist_events events;
	struct rist_threads threads;
	struct link_stats stats;
	char peer[200]; /* addresses of the connected peers; "": none */
	struct ratelimit log;
	struct refusal_log refusal_log;
	unsigned quiet_s; /* consecutive seconds without statistics */
	unsigned absent_s; /* output: consecutive seconds in which no peer
			    * answered */
	bool reaches;      /* output: a peer answers, or has answered within
			    * QUIET_S */
	uint64_t invalid; /* number of datagrams that the guard dropped */
	struct errmsg last_error;/* last error of the link, for the log */
	uint64_t last_error_ms;       /* time when last_error last occurred */
	uint64_t active_ms;      /* time when a datagram last arrived */
	/* limits the log lines of alternating errors */
	struct ratelimit error_limit;
	bool has_error;          /* last_error is current */
	/* bits: 1 << index of each path that delivered blocks in this second */
	unsigned delivered;
};

void rist_link_open(struct rist_link *, const struct rist_spec *,
		    enum rist_direction);
void rist_link_close(struct rist_link *);

/* Opens the paths; to be called at every tick.  1: at least one path is open;
 * 0: host names are being resolved; -errno with error: no path can be opened,
 * or librist failed to start or to add a path. */
int rist_link_turn(struct rist_link *, struct errmsg *error) MUST_CHECK;

/* Reads what librist reported.  If a thread of librist is stuck, logs that and
 * ends the process. */
void rist_link_every_second(struct rist_link *);

/* Logs a warning, rate-limited. */
void rist_link_warn(struct rist_link *, const char *text);

/* Addresses of the connected peers; NULL: no peer is connected. */
const char *rist_link_peer(const struct rist_link *);

/* True for an output that only listens, and has a path open: it waits for
 * callers, so it is no error that no peer is connected. */
bool rist_link_waits(const struct rist_link *);

/* True for an output that calls peers, if none has answered for QUIET_S. */
bool rist_link_is_cut(const struct rist_link *);

/* Error of a link without a connected peer; NULL: none, or the link is an
 * output that waits for callers. */
const char *rist_link_error(const struct rist_link *);
/* Error of a path that does not work while other paths do; NULL: none. */
const char *rist_link_path_error(const struct rist_link *);
