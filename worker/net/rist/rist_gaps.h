/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the lost blocks of a flow by their sequence numbers.  librist reports
 * a gap, but counts only a part of it as lost.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Embedded; zeroed memory is ready. */
struct rist_gaps {
	uint64_t missed;
	uint16_t next;         /* the expected sequence number */
	/* blocks: received in this second; rate: received in the last second
	 * that had blocks */
	unsigned blocks, rate;
};

/* Begins a flow whose first block has this sequence number. */
void rist_gaps_begin(struct rist_gaps *, uint16_t number);

/* Counts the blocks that are missing before a block of the flow.  fresh:
 * librist has restarted its buffer before this block.  A sender that restarts
 * begins with any number, and in the simple profile it keeps its flow id.  So a
 * gap is not counted if it is much larger than what the sender could have sent
 * in silent_ns, the time since the last block. */
void rist_gaps_take(struct rist_gaps *, uint16_t number, bool fresh,
		    uint64_t silent_ns);

void rist_gaps_every_second(struct rist_gaps *);
