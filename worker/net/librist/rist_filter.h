/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may come to a socket of librist, as a program for the kernel.
 *
 * librist 0.2.7 believes what a datagram says of its own lengths: one of 20
 * bytes puts its thread into an endless loop, one of 8 or one without data has
 * it write over its memory.  Where there is a secret it takes what comes in
 * clear all the same.  Such datagrams are not to reach it.
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
	RIST_FILTER_SIMPLE = 1, /* the profile */
	/* Everything is to be encrypted, and more than its length cannot be
	 * judged. */
	RIST_FILTER_SECRET = 2,
	/* A receiver's ports of the simple profile: the even one for data, the
	 * odd one for RTCP. */
	RIST_FILTER_PAIR = 4,
};

void rist_filter_make(struct rist_filter *, unsigned flags);

/* What comes from there is dropped, too. */
void rist_filter_refuse(struct rist_filter *, const struct sockaddr_any *);
