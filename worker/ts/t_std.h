/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The buffers of the system target decoder (ISO/IEC 13818-1 2.4.2), whose sizes
 * and rates the standard fixes by the type of a stream.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	T_STD_TB = 512, /* bytes of each transport buffer */
	/* bit/s at which the transport buffers of tables empty: 2.4.2.3 */
	T_STD_TABLES_BPS = 1000000,
};

/* The rate, in bit/s, at which the transport buffer of an audio stream empties;
 * 0: the type is no audio, or its rate is not fixed. */
unsigned t_std_audio_bps(uint8_t stream_type);

/* The same of video, and the bytes of the buffers behind it together: multiplex
 * buffer and elementary stream buffer. */
struct t_std_video {
	unsigned bps;
	unsigned bytes;
};

/* By the profile and level that a parameter set in these n bytes names; false:
 * they have none.  coding: as pmt_coding(). */
bool t_std_video_find(uint8_t coding, const uint8_t *data, size_t n,
		      struct t_std_video *ret);
