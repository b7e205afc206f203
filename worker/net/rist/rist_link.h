/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A librist context for an input or an output: its peers, paths and statistics.
 *
 * librist works in threads of its own. The worker reads what they report once a
 * second. The link starts with the first path that can be opened; the others
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
	struct resolver *resolver; /* NULL: not resolving */
	struct sockaddr_any at;
};

/* Embedded; must not move. */
struct rist_link {
	const struct rist_spec *spec; /* borrowed */
	enum rist_direction direction;
	struct rist_ctx *ctx;         /* NULL: no path is open yet */
	struct redundant_paths paths; /* an open one: librist has it */
	struct rist_address addresses[RIST_PEERS_MAX];
	_Atomic pid_t adder; /* thread that adds a path; 0: none */
	size_t added;        /* the path that it adds */
	struct rist_logging_settings logging;
	struct rist_guard guard;
	struct rist_peers peers;
	struct rist_events events;
	struct rist_threads threads;
	struct link_stats stats;
	char peer[200]; /* connected peers; "": none */
	struct ratelimit log;
	struct refusal_log refusal_log;
	unsigned quiet_s; /* seconds without statistics */
	unsigned absent_s; /* output: seconds without an answer */
	bool reaches;      /* output: a peer answers, or did within QUIET_S */
	uint64_t invalid; /* datagrams dropped by the guard */
	struct errmsg last_error;/* the error logged last */
	uint64_t last_error_ms;       /* when it was seen last */
	uint64_t active_ms;      /* when a datagram arrived last */
	struct ratelimit error_limit; /* for alternating errors */
	bool has_error;          /* the last error still stands */
	/* a bit for each path that delivered blocks in this second */
	unsigned delivered;
};

void rist_link_open(struct rist_link *, const struct rist_spec *,
		    enum rist_direction);
void rist_link_close(struct rist_link *);

/* Call at every tick. 1: at least one path is open; 0: still resolving; -errno
 * with error: no path can be opened. */
int rist_link_turn(struct rist_link *, struct errmsg *error) MUST_CHECK;

/* Takes over what librist reported. If a thread of librist is stuck, logs that
 * and ends the process. */
void rist_link_every_second(struct rist_link *);

/* Logs a warning, rate-limited. */
void rist_link_warn(struct rist_link *, const char *text);

/* Addresses of the connected peers; NULL: none. */
const char *rist_link_peer(const struct rist_link *);

/* True for an output that only listens: having no peer is no error. */
bool rist_link_waits(const struct rist_link *);

/* True for an output that calls a peer which has not answered for QUIET_S. */
bool rist_link_is_cut(const struct rist_link *);

/* Error of a link that cannot transfer; NULL: none, or it waits for callers. */
const char *rist_link_error(const struct rist_link *);
/* Error of a path that is not in use while other paths are; NULL: none. */
const char *rist_link_path_error(const struct rist_link *);
