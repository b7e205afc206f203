/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue of the packets of sections that wait for a place in the stream.
 * Their continuity counters are set when they go out: dropped ones leave no
 * gap.
 *
 * Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	SECTION_QUEUE_MAX = 64, /* packets; the longest section takes 23 */
};

struct section_queue {
	size_t head, n;
	uint8_t packets[SECTION_QUEUE_MAX][TS_PACKET];
};

/* False without room for the whole section: nothing is queued. */
bool section_queue_push(struct section_queue *, uint16_t pid,
			const uint8_t *section, size_t len);

/* The next packet, to be copied before the next push; NULL when empty. */
const uint8_t *section_queue_pop(struct section_queue *);

/* Drops all packets except the remainder of a section that is being sent. */
void section_queue_clear(struct section_queue *);
