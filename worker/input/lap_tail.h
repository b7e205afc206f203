/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes the units that the end of a file cuts: a decoder would join them to
 * the start of the next lap or file (ISO/IEC 13818-1 2.4.3.7).
 *
 * A unit is cut if its PES_packet_length says so, or if its header has no end.
 * Each unit begins in a packet of its own (2.4.3.5), so that stuffing fills the
 * last packet of the unit before.  A unit without a length is cut if it does
 * not end with stuffing, and all units before it did.
 *
 * Pure.
 */
#pragma once

#include "worker/ts/packet.h"

/* Packets at the end of a file, in which its last units begin, those of audio
 * as well: 100 ms at 30 Mbit/s. */
enum { LAP_TAIL_PACKETS = 2048 };

/* Takes the last n packets of a file.  Removes the packets of each access unit
 * that begins in them and is cut off at the end.  A packet with a PCR stays,
 * without its payload.  Returns the number of packets that are left. */
size_t lap_tail_trim(uint8_t *packets, size_t n);
