/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last querier of each interface and IP version, in a table of fixed size.
 * A full table replaces the querier whose query is the oldest.
 *
 * Pure.  Embedded; zeroed memory is an empty table.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "proto/ipc/msg.h"
#include "worker/querier/query.h"

struct querier {
	unsigned ifindex; /* index of the interface; 0: the entry is free */
	struct sockaddr_any from;
	struct group_query query;
	uint64_t at_ms;   /* time of the last query */
};

struct querier_table {
	struct querier list[MSG_QUERIERS_MAX];
};

/* Notes a query on an interface.  from: an IPv4 address for IGMP, an IPv6
 * address for MLD. */
void querier_table_add(struct querier_table *, unsigned ifindex,
		       const struct sockaddr_any *from,
		       const struct group_query *, uint64_t now_ms);

/* Removes the queriers whose last query is older than older_than_ms. */
void querier_table_expire(struct querier_table *, uint64_t older_than_ms,
			  uint64_t now_ms);
