/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a BPF program that drops datagrams which make librist 0.2.7 fail.
 *
 * librist trusts the lengths inside a datagram: a datagram of 20 bytes can put
 * its thread into an endless loop; one of 8 bytes, or RTP without payload,
 * makes it write outside its buffers.  Also, a receiver with a secret accepts
 * clear text.
 */
#pragma once

#include "common/base/sockaddr.h"

#include <linux/filter.h>
#include <stddef.h>

enum { RIST_FILTER_MAX = 1024 };

struct rist_filter {
	size_t n;
	struct sock_filter code[RIST_FILTER_MAX];
};

enum rist_filter_flag {
	RIST_FILTER_SIMPLE = 1, /* simple profile */
	/* all datagrams must be encrypted, so only their lengths can be
	 * checked */
	RIST_FILTER_SECRET = 2,
	/* a receiver of the simple profile: RTP arrives at the even port, RTCP
	 * at the odd one */
	RIST_FILTER_PAIR = 4,
};

void rist_filter_make(struct rist_filter *, unsigned flags);

/* Adds a rule to the filter that drops all datagrams from this address. */
void rist_filter_refuse(struct rist_filter *, const struct sockaddr_any *);
