/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks one received stream of the generator: lost, duplicate and reordered
 * packets, delays, and bursts.  Embedded; zeroed memory is ready.  Owns
 * nothing.
 */
#pragma once

#include "tests/bench/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CHECK_SEQ_WINDOW = 4096, /* how far back an order is remembered */
	CHECK_JUMP_MAX = 1 << 30, /* more than that was never lost */
	CHECK_BURST_MAX = 512,   /* datagrams in one millisecond */
};

struct check_totals {
	struct histogram latency_us; /* per stamped packet */
	struct histogram burst_bytes; /* in the millisecond before each one */
};

struct check_stream {
	bool started;
	uint64_t first;      /* the first stamp seen */
	uint64_t next;       /* the stamp expected next */
	uint64_t stamped;    /* stamps received, without duplicates */
	uint64_t lost;
	uint64_t duplicated;
	uint64_t reordered;
	uint64_t cc_errors;
	uint64_t broken;     /* packets without a sync byte, cut datagrams,
			      * stamps that cannot be */
	uint64_t packets;
	uint64_t datagrams;
	uint64_t bytes;      /* of TS */
	uint64_t seen[CHECK_SEQ_WINDOW / 64];
	uint8_t cc[8192];    /* last counter plus one; 0 = not seen */

	/* the arrivals of the last millisecond, oldest at burst_head */
	struct {
		uint64_t at_ns;
		uint64_t bytes;
	} burst[CHECK_BURST_MAX];
	size_t burst_head;
	size_t burst_n;
	uint64_t burst_bytes;
};

/* One datagram (without an RTP header) that arrived at at_ns. */
void check_datagram(struct check_stream *, struct check_totals *,
		    const uint8_t *data, size_t len, uint64_t at_ns);
