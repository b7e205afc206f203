/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sources that send to a receiver of the simple profile, and the port of
 * the pair to which each sends.
 *
 * librist 0.2.7 looks for the sender of a datagram among the peers of all
 * ports.  If a source sends data and reports from the same port, librist finds
 * the wrong peer and ends the process.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <librist/librist.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RIST_SOURCES_MAX = 32 };

struct rist_source {
	struct sockaddr_any at;
	bool odd;          /* the source sends to the odd port, for reports */
	bool refused;      /* the other kind of port has a filter against the
			    * source; false: attaching failed */
	uint64_t since_ns; /* monotonic time when the filter was attached or
			    * tried */
	int64_t ahead_ns;  /* offset of the wall clock to the monotonic clock at
			    * since_ns */
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

/* Adds a source; NULL: the list is full. */
struct rist_source *rist_sources_add(struct rist_sources *,
				     const struct sockaddr_any *at, bool odd);

/* The kinds of ports of removed sources, as bits. */
enum { RIST_SOURCE_EVEN = 1 << false, RIST_SOURCE_ODD = 1 << true };

/* Removes the source of a peer that librist has freed.  Returns its kind of
 * port; 0: there was none. */
unsigned rist_sources_remove(struct rist_sources *,
			     const struct rist_peer *) MUST_CHECK;

/* Removes the sources that have no peer and are older than since_ns; if the
 * list is full, at least the oldest one.  Returns their kinds of ports. */
unsigned rist_sources_expire(struct rist_sources *,
			     uint64_t since_ns) MUST_CHECK;
