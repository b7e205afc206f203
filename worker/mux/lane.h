/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The generated packets of one PID, which are sent at a limited rate: a
 * receiver takes tables at 1 Mbit/s (ISO/IEC 13818-1 2.4.2.3) from a buffer of
 * 512 bytes.
 *
 * Embedded; zeroed memory with a pid and max is ready.
 */
#pragma once

#include "worker/ts/fifo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LANE_SPACING_MS = 2, /* from a packet to the next one: 752 kbit/s */
	LANE_BURST = 8,      /* most packets at once after a late call of
			      * lane_due() */
};

struct lane {
	uint16_t pid;
	uint8_t cc; /* continuity counter of the next packet */
	struct fifo fifo;
	uint64_t served_ns; /* the packets that were sent have used the rate of
			     * the lane up to this time */
	uint64_t dropped;   /* sections that had no room in the queue */
};

void lane_done(struct lane *);

/* Queues the packets of a section.  False: there is no room for all of them,
 * and the section is dropped. */
bool lane_push(struct lane *, const uint8_t *section, size_t len);

/* The number of packets that may be sent now.  The caller sends them, so they
 * count as sent. */
size_t lane_due(struct lane *, uint64_t now_ns);
