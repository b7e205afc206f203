/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps packets of a PID so far apart that they do not overflow the transport
 * buffer of the standard decoder (ISO/IEC 13818-1 2.4.2.3).
 *
 * The rate of video depends on its level, which its parameter sets name.  A
 * packet that comes too early waits.  A PID whose rate exceeds that of its
 * buffer is not spread, as it cannot be, until a second without such an excess
 * has passed.
 *
 * Pure.  Embedded; zeroed memory is ready, and spreads nothing.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stdint.h>

enum { SPREAD_MAX_MS = 100 /* the longest wait */ };

struct psi;

struct spread_pid {
	unsigned bps; /* of its buffer; 0: not spread */
	float leak;  /* the same in bytes per nanosecond */
	uint8_t coding; /* of video, whose leak comes from its content */
	bool over;   /* its rate exceeded that of its buffer less than a second
		      * ago, so it is not spread */
	uint64_t over_ns; /* time of the last such excess */
	float level; /* bytes in the buffer at at_ns */
	uint64_t at_ns; /* time of the last packet in the model of the buffer */
	uint64_t left_ns; /* time at which the last packet leaves */
};

struct spread {
	struct spread_pid pids[TS_PIDS];
};

/* Follows the tables of the output. */
void spread_follow(struct spread *, const struct psi *);

/* Looks for the level of video in a packet with which a unit begins. */
void spread_learn(struct spread *, const uint8_t *packet);

/* The next packet of the PID is due at_ns: returns the time at which it leaves,
 * which is not earlier, and not earlier than that of the packet before. */
uint64_t spread_place(struct spread *, uint16_t pid, uint64_t at_ns);
