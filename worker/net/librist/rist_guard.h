/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Attaches a filter to each socket of librist.
 *
 * librist 0.2.7 has no function that returns its sockets, so the guard compares
 * the open descriptors before and after a peer is created.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/rist_spec.h"
#include "worker/net/librist/rist_sources.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RIST_GUARD_SOCKETS_MAX = 2 * RIST_PEERS_MAX,
	RIST_GUARD_FDS_MAX = 4096,
};

/* Embedded; librist owns and closes the sockets. */
struct rist_guard {
	size_t n;
	int sockets[RIST_GUARD_SOCKETS_MAX];
	uint32_t dropped[RIST_GUARD_SOCKETS_MAX]; /* total of the kernel */
	/* time stamp of the datagram read last */
	uint64_t read_ns[RIST_GUARD_SOCKETS_MAX];
	/* dropped something since the last count */
	bool drops[RIST_GUARD_SOCKETS_MAX];
	bool is_read[RIST_GUARD_SOCKETS_MAX];
	uint8_t path[RIST_GUARD_SOCKETS_MAX]; /* path of the socket */
	bool odd[RIST_GUARD_SOCKETS_MAX];    /* port is odd */
	unsigned flags;                      /* RIST_FILTER_* */
	struct rist_sources sources;         /* used by librist's thread only */
	uint64_t refused_ns; /* when the last source was added */
	/* a bit for each known descriptor */
	uint64_t before[RIST_GUARD_FDS_MAX / 64];
};

/* Call before a peer is created. */
void rist_guard_before_peer(struct rist_guard *);

/* Call after a peer was created and before librist reads from its sockets.
 * Attaches filters to new sockets and discards what arrived before. path: index
 * of the peer. -errno with error. */
int rist_guard_after_peer(struct rist_guard *, const struct rist_spec *,
			  bool receives, size_t path,
			  struct errmsg *error) MUST_CHECK;

/* Datagrams dropped since the last call, by the filter or because the receive
 * buffer was full. */
unsigned rist_guard_take_dropped(struct rist_guard *);

/* A bit for each path whose sockets librist has read from since the last
 * call. */
unsigned rist_guard_active_paths(struct rist_guard *);

/* True: a receiver in the simple profile, whose peers all listen, gets reports
 * (at odd ports) but no data (at even ports): the filter drops it.  Covers the
 * time up to the last calls of rist_guard_take_dropped() and
 * rist_guard_active_paths(), since the calls before. */
bool rist_guard_lacks_data(const struct rist_guard *);

/*
 * True: librist may create a peer for this source at our local port. In the
 * simple profile that is safe only when the other kind of port drops this
 * source and no datagram of it waits there. Until then the caller rejects the
 * source, which tries again. Called in librist's thread, as is
 * rist_sources_peer_gone().
 */
bool rist_guard_admit(struct rist_guard *, const struct sockaddr_any *,
		      uint16_t local_port, const struct rist_peer *);
