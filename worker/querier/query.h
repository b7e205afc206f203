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
	unsigned version;    /* IGMP: 1 to 3; MLD: 1 or 2 */
	uint32_t interval_s; /* time between two queries; 0: unknown */
};

/* Parses an IPv4 datagram with its header, as from a raw socket.  0, or
 * -EBADMSG: not a general query. */
int igmp_query_parse(const uint8_t *datagram, size_t len,
		     struct group_query *ret) MUST_CHECK;

/* Parses an ICMPv6 message, whose checksum the kernel has checked.  0, or
 * -EBADMSG: not a general query. */
int mld_query_parse(const uint8_t *message, size_t len,
		    struct group_query *ret) MUST_CHECK;
