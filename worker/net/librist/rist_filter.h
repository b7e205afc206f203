/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A BPF program that drops datagrams which librist 0.2.7 cannot survive.
 *
 * librist trusts the lengths inside a datagram: 20 bytes can send its thread
 * into an endless loop; 8 bytes, or RTP without payload, make it write outside
 * its buffers. A receiver with a secret also accepts clear text.
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
	/* Everything must be encrypted; only lengths can be checked. */
	RIST_FILTER_SECRET = 2,
	/* A receiver of the simple profile: RTP to the even port, RTCP to the
	 * odd one. */
	RIST_FILTER_PAIR = 4,
};

void rist_filter_make(struct rist_filter *, unsigned flags);

/* Adds a rule to the filter that drops all datagrams from this address. */
void rist_filter_refuse(struct rist_filter *, const struct sockaddr_any *);
