/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is announced of an output: SDP (RFC 4566) in a SAP packet (RFC 2974).
 *
 * Pure.
 */
#pragma once

#include "common/sockaddr.h"
#include "common/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { ANNOUNCEMENT_MAX = 1024 };

struct announcement {
	const char *name;            /* of the session */
	struct sockaddr_any origin;  /* who announces; its port is nothing */
	struct sockaddr_any remote;  /* where the packets go */
	unsigned ttl;
	bool rtp;
	uint64_t session, version;   /* the same session: the same number */
};

/* The packet into ret of ANNOUNCEMENT_MAX bytes; with gone the word that it is
 * over.  Its length, or -EMSGSIZE. */
ssize_t announcement_make(const struct announcement *, bool gone,
			  uint8_t *ret) MUST_CHECK;
