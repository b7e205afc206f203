/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A histogram of the times between the datagrams of an output (IAT), measured
 * when the worker passes them to the kernel.  The time between datagrams of the
 * same system call is 0.  If the kernel sends at planned times
 * (departure_plan.h), these times count.
 *
 * Pure.  Embedded; zeroed memory is an empty histogram.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { IAT_OUT_BINS = 13 };

struct iat_out {
	uint64_t last_ns;              /* time of the last datagram; 0: none */
	uint64_t all[IAT_OUT_BINS];    /* counts since the start */
	uint32_t recent[IAT_OUT_BINS]; /* counts of this second */
	uint64_t recent_max_ns;
	uint64_t p50_us, p99_us, max_us; /* values of the last full second */
};

/* Notes that n datagrams, n > 0, leave at now_ns. */
void iat_out_add(struct iat_out *, uint64_t now_ns, size_t n);

/* Ends a second.  p50 and p99 are the upper limits of their bins, and at most
 * max. */
void iat_out_every_second(struct iat_out *);

/* The upper limit of a bin.  A bin counts the times below its limit that are
 * not below the limit of the bin before it.  The limit of the last bin is
 * UINT64_MAX. */
uint64_t iat_out_limit_us(size_t bin);
