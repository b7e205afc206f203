/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the sizes and rates of the buffers of the system target decoder
 * (ISO/IEC 13818-1 2.4.2), which the standard fixes by the type of a stream.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	T_STD_TB = 512, /* bytes of each transport buffer */
	/* bit/s at which the transport buffer of audio empties; that of AAC
	 * with three channels or more empties faster */
	T_STD_AUDIO_BPS = 2000000,
	/* bit/s at which the transport buffers of tables empty (2.4.2.3) */
	T_STD_TABLES_BPS = 1000000,
	/* bytes of the system buffer, for the tables of a program, PAT and
	 * CAT */
	T_STD_SYSTEM = 1536,
};

/* The rate, in bit/s, at which the system buffer empties in a multiplex of this
 * rate. */
uint64_t t_std_system_bps(uint64_t multiplex_bps);

/* The rate, in bit/s, at which the transport buffer of an audio stream empties;
 * for AAC that of three to eight channels.  0: the type is no audio, or its
 * rate is not fixed. */
unsigned t_std_audio_bps(uint8_t stream_type);

struct t_std_audio {
	unsigned bps;   /* bit/s at which the transport buffer empties */
	unsigned bytes; /* size of the main buffer */
	unsigned frame_ticks; /* duration of a frame, 27 MHz */
};

/* Finds the buffers of audio by the first AUDIO_HEAD bytes (audio.h) of a
 * frame.  False: no frame begins there, or the frame only adds channels to
 * another one.  For LATM eight channels are assumed. */
bool t_std_audio_find(const uint8_t *head, struct t_std_audio *ret);

struct t_std_video {
	unsigned bps;   /* bit/s at which the transport buffer empties */
	unsigned bytes; /* multiplex buffer and elementary stream buffer */
};

/* Finds the buffers of video (MPEG-2, H.264, HEVC) by the profile and level of
 * a parameter set in these n bytes.  False: no parameter set was found; one
 * that begins in the last bytes is not read.  coding: as pmt_coding(). */
bool t_std_video_find(uint8_t coding, const uint8_t *data, size_t n,
		      struct t_std_video *ret);
