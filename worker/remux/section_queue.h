/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue of the packets of sections that wait for a place in the stream.  The
 * caller sets their continuity counters when it sends them, so that dropped
 * packets leave no gap.
 *
 * Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	SECTION_QUEUE_MAX = 64, /* packets; the longest section takes 23 */
};

struct section_queue {
	size_t n; /* packets that wait */
	uint64_t used; /* bit set of the slots with a waiting packet */
	uint8_t order[SECTION_QUEUE_MAX]; /* slots of the waiting packets, first
					   * to last */
	uint8_t packets[SECTION_QUEUE_MAX][TS_PACKET];
};

/* Queues a section.  False: the queue has no room for the whole section, and
 * nothing is queued. */
bool section_queue_push(struct section_queue *, uint16_t pid,
			const uint8_t *section, size_t len);
/* As section_queue_push(), in front of all other packets.  The queue must have
 * no packet of the PID. */
bool section_queue_push_first(struct section_queue *, uint16_t pid,
			      const uint8_t *section, size_t len);

/* The packet at position i, which must be below n.  Copy it before the next
 * push. */
static inline const uint8_t *section_queue_at(const struct section_queue *q,
					      size_t i)
{
	return q->packets[q->order[i]];
}

/* Removes and returns the packet at this position; copy it before the next
 * push.  The packets of a PID stay in order: the caller takes the first packet
 * of its PID. */
const uint8_t *section_queue_take(struct section_queue *, size_t i);

/* Removes and returns the first packet; NULL: the queue is empty. */
const uint8_t *section_queue_pop(struct section_queue *);

/* Drops all packets except the remainders of sections that are being sent. */
void section_queue_clear(struct section_queue *);
