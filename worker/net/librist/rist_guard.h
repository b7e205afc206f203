/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stands before the sockets of librist, which has no function that tells them:
 * they are those that are there after a peer was made, and were not before.
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

/* Embedded; its sockets are the library's, which closes them. */
struct rist_guard {
	size_t n;
	int sockets[RIST_GUARD_SOCKETS_MAX];
	uint32_t dropped[RIST_GUARD_SOCKETS_MAX]; /* by the kernel, so far */
	uint64_t read_ns[RIST_GUARD_SOCKETS_MAX]; /* when what was read came */
	bool drops[RIST_GUARD_SOCKETS_MAX];  /* of late */
	bool is_read[RIST_GUARD_SOCKETS_MAX];
	uint8_t path[RIST_GUARD_SOCKETS_MAX]; /* the peer it was made for */
	bool odd[RIST_GUARD_SOCKETS_MAX];    /* its port */
	unsigned flags;                      /* of the filters */
	struct rist_sources sources;         /* the library's thread's */
	uint64_t refused_ns;                 /* when one was added to them */
	uint64_t before[RIST_GUARD_FDS_MAX / 64]; /* a bit for each that is */
};

/* Before a peer is made. */
void rist_guard_before_peer(struct rist_guard *);

/* After its sockets were, before the library looks at them: guards what is new
 * since that or the last call, and lets nothing through that came meanwhile.
 * way: which of the peers it is.  -errno with why. */
int rist_guard_after_peer(struct rist_guard *, const struct rist_spec *,
                          bool receives, size_t path,
                          struct errmsg *error) MUST_CHECK;

/* How many datagrams were dropped since the last call: by the filter, or as the
 * room for them was full. */
unsigned rist_guard_take_dropped(struct rist_guard *);

/* The ways, a bit for each, at whose sockets the library has read something
 * since the last call. */
unsigned rist_guard_active_paths(struct rist_guard *);

/* Whether, as of the last calls of both, reports came to the simple profile and
 * all that came for data was dropped. */
bool rist_guard_lacks_data(const struct rist_guard *);

/*
 * Whether a peer may be made for who sends from there to that port of ours: in
 * the simple profile only after the ports of the other kind have been closed to
 * him, and nothing of his can wait there.  He is to come again then.  In the
 * library's thread, as rist_guard_peer_gone().
 */
bool rist_guard_admit(struct rist_guard *, const struct sockaddr_any *,
		      uint16_t local_port, const struct rist_peer *);
void rist_guard_peer_gone(struct rist_guard *, const struct rist_peer *);
