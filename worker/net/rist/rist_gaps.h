/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts lost blocks of a flow by their sequence numbers. librist reports that
 * there is a gap, but counts only a part of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Embedded; zeroed memory is ready. */
struct rist_gaps {
	uint64_t missed;
	uint16_t next;         /* the expected number */
	/* in this second, and in the last second with blocks */
	unsigned blocks, rate;
};

/* Begins a flow whose first block has this sequence number. */
void rist_gaps_begin(struct rist_gaps *, uint16_t number);

/* Counts the blocks that are missing in front of a block of the flow.  fresh:
 * librist's buffer was restarted before it.  A restarted sender begins with any
 * number, and in the simple profile its flow id stays.  So a gap that is much
 * larger than what the sender would have sent in silent_ns is not counted as
 * loss. */
void rist_gaps_take(struct rist_gaps *, uint16_t number, bool fresh,
		    uint64_t silent_ns);

void rist_gaps_every_second(struct rist_gaps *);
