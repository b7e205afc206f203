/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the start of a PES packet and its time stamps (ISO/IEC 13818-1
 * 2.4.3.6).
 *
 * Pure: looks only at the bytes of one transport packet.
 */
#pragma once

#include "worker/ts/packet.h"

#define PES_TIME_WRAP (UINT64_C(1) << 33)

/* Bytes of a PES packet up to PES_header_data_length. */
enum { PES_HEADER = 9 };

/* The start of the PES that begins in this packet, with *ret_len bytes from
 * there to the end of the packet.  NULL: no PES begins there, the packet is
 * scrambled or has transport_error_indicator, or it has less than PES_HEADER
 * bytes of the PES. */
const uint8_t *pes_find(const uint8_t *packet, size_t *ret_len);

/* May a PES with this stream_id have the optional header? */
bool pes_may_have_options(uint8_t stream_id);

/* True if the PES has the optional header, which contains its time stamps.
 * pes: at least PES_HEADER bytes. */
bool pes_has_options(const uint8_t *pes);

/* Offsets of PTS and DTS in the transport packet.  If the packet has no DTS, or
 * not all of it, dts is the offset of the PTS. */
struct pes_times {
	size_t pts;
	size_t dts;
};

/* Finds the time stamps; false: the packet begins no PES with time stamps. */
bool pes_times(const uint8_t *packet, struct pes_times *ret);

/* Reads the PTS of the PES that begins in the packet, in 90 kHz ticks; false:
 * there is none. */
bool pes_pts(const uint8_t *packet, uint64_t *ret);

/* Reads the 33 bits of a time stamp of five bytes, in 90 kHz ticks. */
uint64_t pes_time(const uint8_t *stamp);
void pes_set_time(uint8_t *stamp, uint64_t time);
