/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is announced of an output: SDP (RFC 4566) in a SAP packet (RFC 2974).
 *
 * The plain description has one media, which is what all receivers can play.
 * The whole one has error correction and the second path as well, as media of
 * their own in groups (RFC 5956, RFC 7104), which some refuse as a whole.
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

/* One datagram on a usual network. */
enum { ANNOUNCEMENT_MAX = 1400 };

struct announcement {
	const char *name;            /* of the session */
	struct sockaddr_any origin;  /* who announces; its port is nothing */
	struct sockaddr_any remote;  /* where the packets go */
	unsigned ttl;
	bool rtp;
	bool whole;                  /* only for what has more */
	struct rtp_out_spec streams; /* of rtp */
	uint64_t session, version;   /* the same session: the same number */
};

/* Is there something that the plain description does not tell? */
bool announcement_has_more(const struct announcement *);

/* The packet into ret of ANNOUNCEMENT_MAX bytes; with gone the word that it is
 * over.  Its length, or -EMSGSIZE. */
ssize_t announcement_make(const struct announcement *, bool gone,
			  uint8_t *ret) MUST_CHECK;
