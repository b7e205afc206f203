/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moves the times of cue messages (ANSI/SCTE 35 splice_info_section).
 *
 * What a message says is never read: it has a field for this very purpose,
 * pts_adjustment, which every receiver adds to the times in it, encrypted or
 * not.  CRC_32 is changed by as much as the field, so that a right one stays
 * right and a wrong one wrong.
 *
 * Pure; one PID each, packets in their order.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	CUE_STREAM_TYPE = 0x86,
	CUE_TABLE_ID = 0xfc,
};

/* The section that is under way.  Embedded; zeroed memory is ready. */
struct cue {
	uint16_t len;   /* 0: none, or it is left as it is */
	uint16_t at;    /* so many bytes of it have passed */
	uint32_t delta; /* of its CRC_32 */
};

/* A packet with payload, in clear; ticks (90 kHz) below 2^33. */
void cue_move(struct cue *, uint8_t *packet, uint64_t ticks);
