/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sources that send to a receiver of the simple profile, and to which port
 * of the pair.
 *
 * librist 0.2.7 looks for the sender of a datagram among the peers of all
 * ports. If a source sends data from the port that its reports come from, or
 * the reverse, librist takes the wrong peer and ends the process.
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
	bool odd;          /* sends to the port for reports */
	bool refused;      /* filtered at the other kind of port, or tried */
	uint64_t since_ns; /* time of `refused' or of the attempt */
	int64_t ahead_ns;  /* offset of the wall clock at that time */
	const struct rist_peer *peer; /* peer of librist; NULL: none yet */
};

/* Embedded; zeroed memory is ready. */
struct rist_sources {
	size_t n;
	struct rist_source list[RIST_SOURCES_MAX];
};

/* The entry of the source; NULL: it is unknown. */
struct rist_source *rist_sources_find(struct rist_sources *,
				      const struct sockaddr_any *at);

/* Adds a source, which replaces the oldest source without a peer if the list is
 * full.  NULL: all sources have a peer. */
struct rist_source *rist_sources_add(struct rist_sources *,
				     const struct sockaddr_any *at, bool odd);

/* Call it when librist has freed the peer.  The source stays filtered until its
 * entry is needed. */
void rist_sources_peer_gone(struct rist_sources *, const struct rist_peer *);
