/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moves the times of cue messages (ANSI/SCTE 35 splice_info_section).
 *
 * The content of a message is not parsed: each receiver adds the field
 * pts_adjustment to the times in the message, encrypted or not.  CRC_32 changes
 * with the field, so that a correct one stays correct and a wrong one wrong.
 *
 * Pure; one struct per PID, packets in their order.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	CUE_STREAM_TYPE = 0x86,
	CUE_TABLE_ID = 0xfc,
};

struct cue_section {
	uint16_t len;   /* bytes; 0: the payload passes unchanged up to the next
			 * section */
	uint16_t at;    /* bytes of the section that have passed */
	uint32_t delta; /* value to XOR into CRC_32; 0: nothing changed */
};

/* Embedded; zeroed memory is ready. */
struct cue {
	struct cue_section now;    /* behind the last packet */
	struct cue_section before; /* before it */
	bool started;
	uint8_t cc; /* continuity_counter of the last packet, if started */
};

/* Moves the times in a packet, which has payload and is not scrambled, by ticks
 * (90 kHz), below 2^33.  A duplicate packet (ISO/IEC 13818-1 2.4.3.3) changes
 * as the first one did.  If a packet is missing, the rest of its section passes
 * unchanged. */
void cue_move(struct cue *, uint8_t *packet, uint64_t ticks);
