/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses general queries of IGMP (RFC 1112, 2236, 3376) and MLD (RFC 2710,
 * 3810), by which a querier asks the hosts of a network for their groups.
 *
 * Without a querier, switches with snooping let memberships expire.  Pure.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

struct group_query {
	unsigned version;    /* 1 to 3 of IGMP, 1 and 2 of MLD */
	uint32_t interval_s; /* between two queries; 0: unknown */
};

/* An IPv4 datagram with its header, as from a raw socket.  0, or -EBADMSG if it
 * is no general query. */
int igmp_query_parse(const uint8_t *datagram, size_t len,
		     struct group_query *ret) MUST_CHECK;

/* The same for an ICMPv6 message.  The kernel has checked its checksum. */
int mld_query_parse(const uint8_t *message, size_t len,
		    struct group_query *ret) MUST_CHECK;
