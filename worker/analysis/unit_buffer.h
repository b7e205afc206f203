/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the buffers of a stream behind the transport buffer of the standard
 * decoder (ISO/IEC 13818-1 2.4.2).  Bytes enter with their packets.
 *
 * Video: the multiplex buffer and the elementary stream buffer (coded picture
 * buffer) together, whose size its level determines; a unit leaves whole at its
 * DTS.  Audio: the main buffer; a unit has frames of equal size, and each
 * leaves at its time.
 *
 * Time is the position of a packet in a multiplex of constant rate.  Pure: the
 * memory is fixed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	UNIT_BUFFER_UNITS = 128,
	/* A DTS more than UNIT_BUFFER_LATE_S before the last PCR, or more than
	 * UNIT_BUFFER_LEAD_S after it, belongs to another clock. */
	UNIT_BUFFER_LATE_S = 1,
	UNIT_BUFFER_LEAD_S = 10,
};

struct unit_buffer {
	uint32_t size;   /* bytes of the buffers */
	uint32_t frame;  /* duration of an audio frame, in packets of the
			  * multiplex; 0: a unit leaves whole */
	uint32_t filled; /* bytes in the buffers */
	/* first: index of the oldest unit in the circle `units'; n: number of
	 * units in the buffers */
	size_t first, n;
	struct {
		uint64_t at; /* number of the packet at whose position the unit,
			      * or its next frame, leaves */
		uint32_t bytes;
	} units[UNIT_BUFFER_UNITS];
};

/* Empties the buffer. */
void unit_buffer_reset(struct unit_buffer *);

/* Begins a unit in the nth packet, which leaves at packet `at'; true: the unit
 * arrives after its DTS. */
bool unit_buffer_begin(struct unit_buffer *, uint64_t at, uint64_t nth);

/* Adds bytes of the last unit, which are in the nth packet.  True: they
 * overflow the buffer, which is then empty until another unit begins. */
bool unit_buffer_add(struct unit_buffer *, uint32_t bytes, uint64_t nth);
