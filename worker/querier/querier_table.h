/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who asked last on each interface, in a table that does not grow: when it is
 * full, who was heard longest ago makes room.
 *
 * Pure.  Embedded; all zero is empty.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "proto/ipc/msg.h"
#include "worker/querier/query.h"

struct heard_querier {
	unsigned ifindex; /* 0: a free place */
	struct sockaddr_any from;
	struct group_query query;
	uint64_t at_ms;
};

struct heard {
	struct heard_querier list[MSG_QUERIERS_MAX];
};

/* from: of IPv4 for IGMP, of IPv6 for MLD. */
void heard_note(struct heard *, unsigned ifindex,
		const struct sockaddr_any *from, const struct group_query *,
		uint64_t now_ms);

/* Forgets who was not heard for so long. */
void heard_forget(struct heard *, uint64_t older_than_ms, uint64_t now_ms);
