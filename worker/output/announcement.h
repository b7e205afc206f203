/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the announcement of an output: SDP (RFC 4566) in a SAP packet (RFC
 * 2974).
 *
 * The plain description has one media, which every receiver can play.  The full
 * description also has error correction and the second path, as grouped media
 * (RFC 5956, RFC 7104).  Some receivers reject it.
 *
 * Pure.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "proto/spec/rtp_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of an announcement: a datagram that fits in an Ethernet frame. */
enum { ANNOUNCEMENT_MAX = 1400 };

struct announcement {
	const char *name;            /* name of the session */
	struct sockaddr_any origin;  /* sender of the announcements; no port */
	struct sockaddr_any remote;  /* destination of the packets */
	unsigned ttl;
	bool rtp;
	bool full;                   /* make the full description */
	struct rtp_out_spec streams; /* options of an rtp output */
	/* session: number of the session, the same after a restart; version: a
	 * higher number if the description changes, such as the time in s */
	uint64_t session, version;
};

/* Does the full description differ from the plain one? */
bool announcement_has_full(const struct announcement *);

/* Writes the packet into ret, ANNOUNCEMENT_MAX bytes; with deletion the packet
 * that ends the session.  Returns its length, or -EMSGSIZE. */
ssize_t announcement_make(const struct announcement *, bool deletion,
			  uint8_t *ret) MUST_CHECK;
