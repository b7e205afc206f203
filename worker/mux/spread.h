/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps packets of a PID so far apart that they do not overflow the transport
 * buffer of the standard decoder (ISO/IEC 13818-1 2.4.2.3).
 *
 * The rate of video depends on its level, which its parameter sets name.  A
 * packet that comes too early waits.  If the rate of a PID exceeds that of its
 * buffer, its packets are not delayed until a second without such an excess has
 * passed.
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
	unsigned bps; /* bit/s at which its buffer drains; 0: it is not
		       * spread */
	float leak;  /* `bps' in bytes per nanosecond */
	uint8_t coding; /* coding of video, whose `bps' comes from its parameter
			 * sets; 0: no video */
	bool over;   /* its rate exceeded that of its buffer less than a second
		      * ago, so that its packets are not delayed */
	uint64_t over_ns; /* time of the last such excess */
	float level; /* bytes in the model of the buffer at at_ns */
	uint64_t at_ns; /* time at which the model received its last packet */
	uint64_t left_ns; /* time at which the last packet leaves */
};

struct spread {
	struct spread_pid pids[TS_PIDS];
};

/* Reads from the tables of the output which PIDs are spread, and how. */
void spread_follow(struct spread *, const struct psi *);

/* Looks for the parameter sets of video, and its level in them, in a packet
 * with which a PES packet begins. */
void spread_learn(struct spread *, const uint8_t *packet);

/* Returns the time at which the next packet of the PID leaves: at_ns or later,
 * and not before the previous packet of the PID. */
uint64_t spread_place(struct spread *, uint16_t pid, uint64_t at_ns);
