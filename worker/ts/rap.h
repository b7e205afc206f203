/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random access points: packets at which a decoder can begin.
 *
 * Pure: reads one packet only.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/pmt.h"

/*
 * Does a picture (or audio frame) with which a decoder can start begin here?
 * True for a PUSI packet, not scrambled, that has random_access_indicator, or
 * whose first payload bytes show an H.264 SPS or IDR, an HEVC or VVC parameter
 * set or IRAP picture, an MPEG-2 sequence header, or any PES of audio.
 */
bool rap_is_start(const uint8_t *packet, uint8_t stream_type,
		  enum pid_class);
