/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where those send from who reach the ports of a receiver of the simple
 * profile, and to which of the two of a pair.
 *
 * librist 0.2.7 looks for the sender of a datagram among the peers of all
 * ports.  Who sends data from where reports came from, or the other way round,
 * is taken for the wrong one, which has no other half: it ends the process.
 */
#pragma once

#include "common/base/sockaddr.h"

#include <librist/librist.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RIST_SOURCES_MAX = 32 };

struct rist_source {
	struct sockaddr_any at;
	bool odd;          /* to the port for reports */
	bool refused;      /* at the ports of the other kind ... */
	uint64_t since_ns; /* ... or that was tried ... */
	int64_t ahead_ns;  /* ... and the clock of the datagrams was ahead */
	const struct rist_peer *peer; /* of the library; NULL: none yet */
};

/* Embedded; zeroed memory is ready. */
struct rist_sources {
	size_t n;
	struct rist_source list[RIST_SOURCES_MAX];
};

/* NULL: it is not there. */
struct rist_source *rist_sources_find(struct rist_sources *,
				      const struct sockaddr_any *at);

/* Of those without a peer the first one goes when there is no room; NULL: all
 * have one. */
struct rist_source *rist_sources_add(struct rist_sources *,
				     const struct sockaddr_any *at, bool odd);

/* The peer is no more; its place is refused until it is needed. */
void rist_sources_peer_gone(struct rist_sources *, const struct rist_peer *);
