/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where an rtp output is in its sequence, for the one that comes after it: of
 * this worker, or of the next one.
 *
 * Flat: it stands in the stream's memory.  Zeroed memory is unused; whatever a
 * damaged one holds is a place to go on from.
 */
#pragma once

#include <stdint.h>

struct rtp_state {
	uint64_t address; /* whose it is, as a hash; 0: nobody's */
	uint64_t ticks;   /* of 27 MHz: the last time stamp ... */
	uint64_t at_ns;   /* ... and when that was; 0: nothing was sent yet */
	uint32_t ssrc;
	uint16_t seq;     /* of the next datagram */
	uint16_t reserved;
};
