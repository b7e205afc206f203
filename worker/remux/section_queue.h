/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of sections that wait for their place in the stream, first in,
 * first out.  Their continuity counters are set when they leave: what is
 * thrown away leaves no gap.
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

/* False when there is no room for all of it: nothing is taken. */
bool section_queue_push(struct section_queue *, uint16_t pid,
			const uint8_t *section, size_t len);

/* The next packet, to be copied before the next push; NULL when empty. */
const uint8_t *section_queue_pop(struct section_queue *);

/* Throws away what waits, but for the rest of a section that has begun to
 * leave. */
void section_queue_clear(struct section_queue *);
