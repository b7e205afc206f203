/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Attaches a filter to each socket of librist.
 *
 * librist 0.2.7 has no function that returns its sockets.  So the guard
 * compares the open descriptors before and after a peer is created.
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
	/* kernel's total of dropped datagrams */
	uint32_t dropped[RIST_GUARD_SOCKETS_MAX];
	/* time stamp of the last datagram that was read */
	uint64_t read_ns[RIST_GUARD_SOCKETS_MAX];
	/* datagrams were dropped in the last interval */
	bool drops[RIST_GUARD_SOCKETS_MAX];
	bool is_read[RIST_GUARD_SOCKETS_MAX];
	uint8_t path[RIST_GUARD_SOCKETS_MAX]; /* path of the socket */
	bool odd[RIST_GUARD_SOCKETS_MAX];    /* the local port is odd */
	unsigned flags;                      /* RIST_FILTER_* */
	/* used by librist's threads only */
	struct rist_sources sources;
	uint64_t refused_ns; /* monotonic time when the last source was added */
	/* bits of the descriptors that were open before the peer was created,
	 * or that are guarded */
	uint64_t before[RIST_GUARD_FDS_MAX / 64];
};

/* Call before a peer is created. */
void rist_guard_before_peer(struct rist_guard *);

/* Attaches filters to new sockets, and drops the datagrams that arrived before.
 * Must be called after a peer was created, and before librist reads from its
 * sockets.  path: index of the peer.  0, or -errno with error. */
int rist_guard_after_peer(struct rist_guard *, const struct rist_spec *,
			  bool receives, size_t path,
			  struct errmsg *error) MUST_CHECK;

/* The number of datagrams that were dropped since the last call: by the filter,
 * or because the receive buffer was full. */
unsigned rist_guard_take_dropped(struct rist_guard *);

/* Bits: 1 << index of each path from whose sockets librist has read since the
 * last call. */
unsigned rist_guard_active_paths(struct rist_guard *);

/* True if a receiver in the simple profile, whose peers all listen, has read
 * reports (odd ports) but no data (even ports), and the filter has dropped
 * data.  This covers the interval that ended with the last calls of
 * rist_guard_take_dropped() and rist_guard_active_paths(). */
bool rist_guard_lacks_data(const struct rist_guard *);

/*
 * May librist create a peer for this source at this local port?  For a receiver
 * in the simple profile whose peers all listen, this is safe only if the other
 * kind of port (even or odd) drops datagrams of this source, and none of them
 * waits there.  Until then the caller rejects the source, and the source tries
 * again.  A new source ends the refusal of a source that has had no peer for
 * 30 s.  For any other link the result is true.  Called in librist's threads.
 */
bool rist_guard_admit(struct rist_guard *, const struct sockaddr_any *,
		      uint16_t local_port, const struct rist_peer *);

/* Must be called in librist's threads when librist has freed a peer: from then
 * on its source may send to either kind of port, because a restarted sender may
 * get the same ports in another order. */
void rist_guard_peer_gone(struct rist_guard *, const struct rist_peer *);
