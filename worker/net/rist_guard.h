/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stands before the sockets of librist, which has no function that tells them:
 * they are those that are there after a peer was made, and were not before.
 */
#pragma once

#include "common/errmsg.h"
#include "common/util.h"
#include "proto/rist_spec.h"

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
	uint64_t first_ns[RIST_GUARD_SOCKETS_MAX]; /* when what waits came */
	uint64_t before[RIST_GUARD_FDS_MAX / 64]; /* a bit for each that is */
};

/* Before a peer is made. */
void rist_guard_look(struct rist_guard *);

/* After it was, before the library begins: guards what is new, and lets
 * nothing through that came meanwhile.  -errno with why. */
int rist_guard_take(struct rist_guard *, const struct rist_spec *,
		    bool receives, struct errmsg *why) MUST_CHECK;

/* How many datagrams were dropped since the last call: by the filter, or as the
 * room for them was full. */
unsigned rist_guard_count(struct rist_guard *);

/* Whether anything that waited at the last call was read since. */
bool rist_guard_reads(struct rist_guard *);
