/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the blocks of a flow that never came, by their numbers: librist says
 * that there is a gap, and counts a part of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Embedded; zeroed memory is ready. */
struct rist_gaps {
	uint64_t missed;
	uint16_t next;         /* number */
	unsigned blocks, rate; /* in this second, in the last that had some */
};

/* Another flow: this is the number of its first block. */
void rist_gaps_begin(struct rist_gaps *, uint16_t number);

/*
 * A block of it.  fresh: with it the library's buffer begins anew.
 *
 * The numbers of a sender that starts again begin anywhere, and in the simple
 * profile its flow is the same: much more than it would have sent in silent_ns
 * is not missed.
 */
void rist_gaps_take(struct rist_gaps *, uint16_t number, bool fresh,
		    uint64_t silent_ns);

void rist_gaps_every_second(struct rist_gaps *);
