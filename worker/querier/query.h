/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * General queries of IGMP (RFC 1112, 2236, 3376) and MLD (RFC 2710, 3810): who
 * asks a network which groups its hosts want.
 *
 * Where nobody does, a switch that listens to memberships lets them expire.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

struct group_query {
	unsigned version;    /* 1 to 3 of IGMP, 1 and 2 of MLD */
	uint32_t interval_s; /* from one to the next; 0: it does not say */
};

/* An IPv4 datagram with its header, as a raw socket brings it.  0, or -EBADMSG:
 * it is no general query. */
int igmp_query_parse(const uint8_t *datagram, size_t len,
		     struct group_query *ret) MUST_CHECK;

/* An ICMPv6 message whose checksum the kernel has checked.  As above. */
int mld_query_parse(const uint8_t *message, size_t len,
		    struct group_query *ret) MUST_CHECK;
